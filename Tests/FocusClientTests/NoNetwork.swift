import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import Synchronization

/// A world whose server can't be reached, unless it is given one; it counts how often it was told that the log has
/// changed.
final class NoNetwork: ClientNetwork {
    private let count = Mutex(0)
    private let server: String?

    /// - Parameter server: Where a server answers to a look.
    init(server: String? = nil) { self.server = server }

    /// How often the log has changed.
    var changes: Int { count.withLock { $0 } }

    func logChanged(on device: Device, in context: CommandContext) { count.withLock { $0 += 1 } }

    func join(
        _ invite: Invite, called name: String?, _ choice: AloneHistory.Choice, giving: GivingUp,
        in context: CommandContext
    ) throws(CommandFailure) -> Joined { throw unreachable }

    func invite(in context: CommandContext) throws(CommandFailure) -> MadeInvite { throw unreachable }

    func sync(json: Bool, in context: CommandContext) throws(CommandFailure) { throw unreachable }

    func check(in context: CommandContext) throws(CommandFailure) -> String {
        guard let server else { throw unreachable }
        return server
    }

    func revokeDevices(
        _ keys: [Digest], called names: String, in context: CommandContext
    ) throws(CommandFailure) { throw unreachable }

    func acceptDevice(
        _ key: Digest, called name: String, in context: CommandContext
    ) throws(CommandFailure) { throw unreachable }

    func part(in context: CommandContext) throws(CommandFailure) -> Bool { throw unreachable }

    func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure) {
        throw unreachable
    }

    func view(in context: CommandContext) throws(CommandFailure) { throw unreachable }

    func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure) { throw unreachable }

    func follow(_ form: StatusForm, in context: CommandContext) throws(CommandFailure) { throw unreachable }

    private var unreachable: CommandFailure { CommandFailure("There is no network here.", .unreachable) }
}
