import CommandLineKit
import FocusClient
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import Synchronization

/// A network in which no server can be reached, unless `server` is given. It counts the calls of
/// `announceLocalChanges(on:)`.
final class NoCommandServices: CommandServices, GroupOperations {
    private let count = Mutex(0)
    private let server: String?
    private let end: SyncEnd

    /// - Parameters:
    ///   - server: The address of a server that answers only `check()`; nil if there is none.
    ///   - end: The error with which all other connections end.
    init(server: String? = nil, end: SyncEnd) {
        self.server = server
        self.end = end
    }

    /// The number of calls of `announceLocalChanges(on:)`.
    var changes: Int { count.withLock { $0 } }

    func operations(
        on machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void
    ) -> any GroupOperations { self }

    func announceLocalChanges(on device: Device) -> [SyncNotice] {
        count.withLock { $0 += 1 }
        // A real call would start an agent, which records that it begins to connect. This does the same,
        // unless an agent has already recorded an obstacle.
        if (try? device.link().state) == .offline, (try? device.obstacle()) == .some(nil) {
            try? device.recordStart()
        }
        return []
    }

    func join(
        _ invite: Invite, called name: String?, _ choice: SoloHistory.Choice, cancellation: Cancellation
    ) throws(GroupOperationError) -> JoinResult { throw unreachable }

    func invite() throws(GroupOperationError) -> PublishedInvite { throw unreachable }

    func sync() throws(GroupOperationError) -> GroupOperationResult { throw unreachable }

    func check() throws(GroupOperationError) -> String {
        guard let server else { throw unreachable }
        return server
    }

    func revoke(_ keys: [Digest]) throws(GroupOperationError) -> GroupOperationResult { throw unreachable }

    func accept(_ key: Digest) throws(GroupOperationError) -> GroupOperationResult { throw unreachable }

    func leave() throws(GroupOperationError) -> Bool { throw unreachable }

    func share(
        called name: String?, cancellation: Cancellation
    ) throws(GroupOperationError) -> SharedInvite { throw unreachable }

    func stopSharing() throws(GroupOperationError) -> SharingEnd { throw unreachable }

    /// Needs a confirmation to give a move up.
    func prepareMove(to address: String, isConfirmed: Bool) throws(GroupOperationError) -> String? {
        throw address == "auto" && !isConfirmed
            ? GroupOperationError(.sharing(.mayHaveMoved)) : unreachable
    }

    func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure) { throw noNetwork }

    func view(in context: CommandContext) throws(CommandFailure) { throw noNetwork }

    func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure) { throw noNetwork }

    func follow(_ form: OutputFormat, in context: CommandContext) throws(CommandFailure) { throw noNetwork }

    private var unreachable: GroupOperationError { GroupOperationError(.ended(end)) }

    private var noNetwork: CommandFailure { CommandFailure("There is no network here.", .unreachable) }
}
