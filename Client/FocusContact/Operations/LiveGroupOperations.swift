package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
import FocusStore

/// Group operations with the real server, each on a connection of its own, and with the real agent.
package struct LiveGroupOperations: GroupOperations {
    private let machine: Machine
    private let opened: @Sendable (Device) -> Void
    private let tell: @Sendable (AgentFailure, Home) -> Void
    private let programs: SharingPrograms

    /// The group operations of a machine's device.
    ///
    /// - Parameters:
    ///   - opened: Called with the laptop's log each time it was opened, on the thread that opened it.
    ///   - tell: Called with the reason if the agent is wanted and can't be started.
    ///   - programs: The functions by which sharing asks the system.
    package init(
        _ machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void, programs: SharingPrograms = .process
    ) {
        self.machine = machine
        self.opened = opened
        self.tell = tell
        self.programs = programs
    }

    /// Joins or brings a group, on a connection of its own. A failure says whether this laptop is in the
    /// group all the same.
    ///
    /// - Throws: `GroupOperationError`, after `GroupOperation.patience` at the latest.
    package func join(
        _ invite: Invite, called name: String?, _ choice: SoloHistory.Choice, cancellation: Cancellation
    ) throws(GroupOperationError) -> JoinResult {
        let wasInGroup = try isInGroup()
        let isKnownServer = try membership()?.isAtServer(of: invite) ?? false
        let outcome: GroupOperationResult
        do throws(GroupOperationError) {
            outcome = try run(.join(invite, name: name, choice), cancellation: cancellation)
        } catch {
            // An invite to another group would have failed before.
            guard isKnownServer, case .joinGroup = invite.kind, case .ended(let end) = error.cause,
                end.isInviteRefusal, (try? check()) != nil
            else { throw error }
            throw GroupOperationError(.alreadyInGroup)
        }
        let kind: JoinResult.Kind = !wasInGroup ? .joined : isKnownServer ? .alreadyMember : .movedGroup
        let device = try open()
        agent(of: device).waitForStart()
        return try device.attemptOperation { device throws(StoreError) in
            try JoinResult(device, with: invite, kind, online: outcome.online, notices: outcome.notices)
        }
    }

    /// Makes a secret, registers its invite with the server, and returns the invite's text.
    ///
    /// - Throws: `GroupOperationError` if this laptop is in no group, or the server refuses or can't be
    ///   reached.
    package func invite() throws(GroupOperationError) -> PublishedInvite {
        let secret: InviteSecret
        do { secret = try InviteSecret.random() } catch { throw GroupOperationError(.other("\(error)")) }
        let outcome = try run(.invite(secret))
        return try PublishedInvite(secret, of: try membership(), notices: outcome.notices)
    }

    /// Sends and receives the events that one side lacks.
    ///
    /// - Throws: `GroupOperationError` if the server can't be reached, after `GroupOperation.patience` at the
    ///   latest.
    package func sync() throws(GroupOperationError) -> GroupOperationResult { try run(.sync) }

    /// Connects, and disconnects once the welcome has come. Returns the address that answered.
    ///
    /// - Throws: `GroupOperationError` if the server refuses, is another one or can't be reached, after
    ///   `GroupOperation.checkPatience` at the latest.
    package func check() throws(GroupOperationError) -> String {
        try run(.check, within: GroupOperation.checkPatience).server
    }

    /// Writes the revocations, tells the server and changes the group's key. If the server can't be reached,
    /// the revocations still hold on this laptop, and the failure says so.
    package func revoke(_ keys: [Digest]) throws(GroupOperationError) -> GroupOperationResult {
        try run(.revoke(keys))
    }

    /// Records that a person trusts the laptop, and gives it the group's key. If the server can't be reached,
    /// the record stays, and the failure says so.
    package func accept(_ key: Digest) throws(GroupOperationError) -> GroupOperationResult {
        try run(.accept(key))
    }

    /// Sends all pending events to the server, and then the message that this laptop leaves.
    package func leave() throws(GroupOperationError) -> Bool { try run(.leave).othersKnow }

    // MARK: - Sharing

    /// Makes and starts the server, and joins with an invite from it, unless the group has it already.
    package func share(
        called name: String?, cancellation: Cancellation
    ) throws(GroupOperationError) -> SharedInvite {
        let sharing = try sharing()
        let membership = try membership()
        if let server = membership?.server {
            guard sharing.server.isServer(at: server) else {
                throw GroupOperationError(.sharing(.otherServer(server.addresses)))
            }
            if sharing.server.isGone(server) {
                let hasMoved = try hasMoved(sharing.server, cancellation)
                let addresses = try self.membership()?.server.addresses ?? server.addresses
                throw GroupOperationError(.sharing(hasMoved ? .otherServer(addresses) : .away(addresses)))
            }
        }
        let wasMade = sharing.server.isMade && sharing.server.record?.isAway == false
        let isMember = membership != nil
        let port = try mapSharing { () throws(SharingFailure) in try sharing.start(isMember: isMember) }
        var joined: JoinResult?
        if membership == nil {
            let text = try mapSharing { () throws(SharingFailure) in try sharing.serverInvite() }
            let invite: Invite
            do throws(SealError) {
                invite = try Invite(text)
            } catch {
                throw GroupOperationError(.seal(error))
            }
            joined = try join(invite, called: name, .takeAlong, cancellation: cancellation)
        }
        try writeServer(sharing.server)
        return SharedInvite(
            invite: try self.invite(), port: port, joined: joined, problems: sharing.problems(),
            isNewGroupOnFormerServer: wasMade && joined != nil)
    }

    /// Whether the group's server, which this laptop shared and which is gone, has answered on another machine. If
    /// it hasn't yet, asks it.
    private func hasMoved(
        _ shared: SharedServer, _ cancellation: Cancellation? = nil
    ) throws(GroupOperationError) -> Bool {
        if shared.record?.hasMoved == true { return true }
        do throws(GroupOperationError) {
            _ = try run(.check, within: GroupOperation.checkPatience, cancellation: cancellation)
            return true
        } catch {
            if error.cause == .givenUp { throw error }
            return false
        }
    }

    /// Syncs if the server runs, so that this laptop has what the others sent. Then ends the server. If it moves,
    /// finds out whether it answers on the other machine.
    package func stopSharing() throws(GroupOperationError) -> SharingEnd {
        let sharing = try sharing()
        // Before the sync, so that the others hear of it.
        try writeServer(nil)
        let sync = sharing.server.isRunning ? lastSync() : nil
        do throws(SharingFailure) {
            try sharing.stop()
        } catch {
            // It may still run.
            try? writeServer(sharing.server)
            throw GroupOperationError(.sharing(error))
        }
        let data = sharing.server.data
        let isMoving = sharing.server.record?.isAway == true
        // Only a member can ask the server at the new address.
        guard let address = try membership()?.server, sharing.server.isServer(at: address) else {
            return SharingEnd(data: data, .outside(isMoving: isMoving))
        }
        var move: SharingEnd.Move?
        if isMoving {
            move = .waiting
            if let answering = try? check() { move = .complete(at: answering) }
        }
        let device = try open()
        let isAlone = try device.attemptOperation { device throws(StoreError) in try device.isOnlyMember() }
        return SharingEnd(data: data, .inside(sync: sync, move: move, isAlone: isAlone))
    }

    /// Syncs before the server ends. A failure is also that the server doesn't take all changes. Nil if the
    /// laptop is in no group.
    private func lastSync() -> Result<Void, GroupOperationError>? {
        do throws(GroupOperationError) {
            guard let unsent = try run(.sync).unsent else { return .success(()) }
            return .failure(GroupOperationError(.unsent(unsent)))
        } catch {
            return error.cause == .noGroup ? nil : .failure(error)
        }
    }

    /// Runs `focusd init` and `focusd backup` for the server on this laptop.
    package func prepareMove(
        to address: String, isConfirmed: Bool
    ) throws(GroupOperationError) -> String? {
        let sharing = try sharing()
        let server = try membership()?.server
        if let server, sharing.server.isGone(server), try hasMoved(sharing.server) {
            throw GroupOperationError(
                .sharing(.otherServer(try membership()?.server.addresses ?? server.addresses)))
        }
        if sharing.server.record?.hasMoved == true { throw GroupOperationError(.sharing(.notShared)) }
        let backup = try mapSharing { () throws(SharingFailure) in
            try sharing.prepareMove(to: address, isConfirmed: isConfirmed)
        }
        try writeServer(sharing.server)
        return backup
    }

    /// Writes to the log whether this laptop runs the group's server, and passes that on. If the server may move
    /// away, it says no.
    ///
    /// - Parameter server: The server on this laptop; nil if it ends now.
    private func writeServer(_ server: SharedServer?) throws(GroupOperationError) {
        guard let membership = try membership() else { return }
        var isHere = false
        if let server, let record = server.record, record.isOn || server.isRunning, !record.isMoving {
            isHere = server.isServer(at: membership.server)
        }
        let device = try open()
        let isNews = try device.attemptOperation { device throws(StoreError) in
            try device.writeServer(isHere: isHere)
        }
        if isNews, server != nil { _ = announceLocalChanges(on: device) }
    }

    private func sharing() throws(GroupOperationError) -> ServerSharing {
        let home = try mapDeviceFailure { () throws(DeviceFailure) -> Home in
            let home = try Home(machine.environment)
            try home.create()
            return home
        }
        return ServerSharing(home, machine.environment, programs)
    }

    /// Runs `body`, and rethrows a failure of sharing as that of an operation.
    private func mapSharing<Result>(
        _ body: () throws(SharingFailure) -> Result
    ) throws(GroupOperationError) -> Result {
        do throws(SharingFailure) { return try body() } catch { throw GroupOperationError(.sharing(error)) }
    }

    /// Tells the agent that the log has changed, and starts an agent if none runs. If that fails, syncs for up
    /// to `GroupOperation.pressPatience`.
    package func announceLocalChanges(on device: Device) -> [SyncNotice] {
        guard let operation = passOn(device) else { return [] }
        let outcome = try? OperationRunner.wait(
            for: operation, within: GroupOperation.pressPatience,
            opening: { () throws(DeviceFailure) in try openDevice(machine, opened) })
        // Notices about who has the group's key are always reported. The agent's log has the other notices,
        // if the agent runs.
        return outcome?.notices.filter(\.isAboutKey) ?? []
    }

    // MARK: - Execution

    /// Runs an operation, and tells the agent about its effects.
    private func run(
        _ operation: GroupOperation, within patience: Duration = GroupOperation.patience,
        cancellation: Cancellation? = nil
    ) throws(GroupOperationError) -> GroupOperationResult {
        let wasInGroup = try isInGroup()
        let goneServer = wasInGroup ? goneServer() : nil
        var notices: [SyncNotice] = []
        let outcome: GroupOperationResult
        do throws(GroupOperationError) {
            outcome = try OperationRunner.wait(
                for: operation, within: patience,
                opening: { () throws(DeviceFailure) in try openDevice(machine, opened) },
                cancellation: cancellation
            ) { notices = $0 }
        } catch {
            let cause = error.cause
            let standing = try GroupOperationError.Standing.after(
                cause, of: operation, wasInGroup: wasInGroup
            ) { () throws(GroupOperationError) in try open() }
            // The agent may be able to tell the server.
            if standing == .decidedHere { _ = passOn(try open()) }
            throw GroupOperationError(
                try isOwnStoppedServer(cause, operation) ? .sharing(.stopped) : cause, standing,
                notices: notices)
        }
        goneServer?.recordAnswer(at: (try? membership())?.server, wasGone: true)
        if operation.changesLog { _ = passOn(try open()) }
        return outcome
    }

    /// Returns the server of this laptop if it was the group's and is gone, else nil.
    private func goneServer() -> SharedServer? {
        guard let server = (try? Home(machine.environment)).map(SharedServer.init) else { return nil }
        // The record first, because nearly all laptops have none.
        guard server.record?.isAway == true, server.isGone((try? membership())?.server) else { return nil }
        return server
    }

    /// Whether an operation failed because this laptop was the group's server, and no longer shares.
    private func isOwnStoppedServer(
        _ cause: GroupOperationError.Cause, _ operation: GroupOperation
    ) throws(GroupOperationError) -> Bool {
        switch (cause, operation) {
        case (_, .join): return false
        case (.ended(let end), _) where end.obstacle == .unreachable || end.obstacle == .shutDown: break
        case (.timedOut, _): break
        default: return false
        }
        return SharedServer(try open().home).hasStopped(try membership()?.server)
    }

    // MARK: - This laptop

    private func agent(of device: Device) -> AgentClient { AgentClient(device.home, machine.environment) }

    /// Tells the agent that the log has changed, and starts an agent if none runs. Returns the operation that
    /// the caller has to run instead, or nil if there is an agent or no group.
    private func passOn(_ device: Device) -> GroupOperation? {
        agent(of: device).passOn(device) { tell($0, device.home) }
    }

    private func open() throws(GroupOperationError) -> Device {
        try mapDeviceFailure { () throws(DeviceFailure) in try openDevice(machine, opened) }
    }

    /// Opens the laptop's log for reading, or returns nil if there is none.
    private func openForReading() throws(GroupOperationError) -> Device? {
        let device = try mapDeviceFailure { () throws(DeviceFailure) in try Device.openForReading(machine) }
        if let device { opened(device) }
        return device
    }

    private func isInGroup() throws(GroupOperationError) -> Bool {
        try openForReading()?.isInGroup() ?? false
    }

    private func membership() throws(GroupOperationError) -> Membership? {
        guard let device = try openForReading() else { return nil }
        do throws(StoreError) { return try Membership(device) } catch { throw GroupOperationError(error) }
    }

    /// Runs `body`, and rethrows a failure of this laptop as that of an operation.
    private func mapDeviceFailure<Result>(
        _ body: () throws(DeviceFailure) -> Result
    ) throws(GroupOperationError) -> Result {
        do throws(DeviceFailure) { return try body() } catch { throw GroupOperationError(.device(error)) }
    }
}

/// Opens the laptop's log for writing.
private func openDevice(
    _ machine: Machine, _ opened: (Device) -> Void
) throws(DeviceFailure) -> Device {
    let device = try Device(machine)
    opened(device)
    return device
}
