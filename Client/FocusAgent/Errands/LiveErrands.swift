package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
import FocusStore

/// Errands to the real server, on a connection of their own, and the real agent.
package struct LiveErrands: GroupErrands {
    private let machine: Machine
    private let opened: @Sendable (Device) -> Void
    private let tell: @Sendable (AgentFailure, Home) -> Void

    /// - Parameters:
    ///   - opened: is called with the laptop's log each time it was opened, on the thread that did.
    ///   - tell: is told why the agent can't be started, where one is wanted.
    package init(
        _ machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void
    ) {
        self.machine = machine
        self.opened = opened
        self.tell = tell
    }

    /// Brings or joins a group, on a connection of its own. Where that fails, the failure says whether this laptop is
    /// in all the same.
    ///
    /// - Throws: what kept it from it, after `Errand.patience` at the latest.
    package func join(
        _ invite: Invite, called name: String?, _ choice: AloneHistory.Choice, giving: GivingUp
    ) throws(ErrandTrouble) -> Joined {
        let wasIn = try isInGroup()
        let outcome = try run(.join(invite, name: name, choice), giving: giving)
        let device = try open()
        agent(of: device).waitForStart()
        return try here { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in
                try Joined(device, with: invite, wasIn: wasIn, notices: outcome.notices)
            }
        }
    }

    /// Makes a secret, leaves its invite with the server, and gives the line to be handed on.
    ///
    /// - Throws: where this laptop is in no group, or the server can't be reached or refuses.
    package func invite() throws(ErrandTrouble) -> MadeInvite {
        let secret: InviteSecret
        do { secret = try InviteSecret.random() } catch { throw ErrandTrouble(.other("\(error)")) }
        let outcome = try run(.invite(secret))
        guard let membership = try membership() else { throw ErrandTrouble(.noGroup) }
        do {
            return MadeInvite(text: try membership.invite(secret).text(), notices: outcome.notices)
        } catch {
            throw ErrandTrouble(ErrandFailure(error))
        }
    }

    /// Sends and takes all that one side lacks.
    ///
    /// - Throws: where the server can't be reached, after `Errand.patience` at the latest.
    package func sync() throws(ErrandTrouble) -> ErrandOutcome { try run(.sync) }

    /// Connects, and leaves once the welcome has come.
    ///
    /// - Throws: where the server can't be reached, is another one or refuses, after `Errand.checkPatience` at the
    ///   latest.
    package func check() throws(ErrandTrouble) -> [String] {
        _ = try run(.check, within: Errand.checkPatience)
        return try membership()?.server.addresses ?? []
    }

    /// Writes the revocations, tells the server and changes the group's key. They hold on this laptop even where the
    /// server can't be reached: then the failure says so.
    package func revoke(_ keys: [Digest]) throws(ErrandTrouble) -> ErrandOutcome { try run(.revoke(keys)) }

    /// Notes that a person trusts the laptop, and gives it the group's key. The former holds even where the server
    /// can't be reached: then the failure says so.
    package func accept(_ key: Digest) throws(ErrandTrouble) -> ErrandOutcome { try run(.accept(key)) }

    /// Gives the server all that was pressed here, and then the word that this laptop leaves.
    package func part() throws(ErrandTrouble) -> Bool { try run(.part).othersKnow }

    /// Has the agent look, which is started where none runs. Where none can be, syncs, for `Errand.pressPatience` at
    /// most.
    package func logChanged(on device: Device) -> [SyncNotice] {
        guard let errand = passOn(device) else { return [] }
        let outcome = try? OneShot.wait(
            for: errand, within: Errand.pressPatience, opening: { try opening(machine, opened) })
        // Who has the group's key is said wherever it comes up; the agent's log has the rest, where one runs.
        return outcome?.notices.filter(\.isAboutKey) ?? []
    }

    // MARK: - Running one

    /// Runs an errand, and has the agent look at what came of it.
    private func run(
        _ errand: Errand, within patience: Duration = Errand.patience, giving: GivingUp? = nil
    ) throws(ErrandTrouble) -> ErrandOutcome {
        let wasIn = try isInGroup()
        var notices: [SyncNotice] = []
        let outcome: ErrandOutcome
        do {
            outcome = try OneShot.wait(
                for: errand, within: patience, opening: { try opening(machine, opened) }, giving: giving
            ) { notices = $0 }
        } catch {
            let failure = ErrandFailure(error)
            let standing = try standing(after: failure, of: errand, wasIn: wasIn)
            throw ErrandTrouble(failure, standing, notices: notices)
        }
        if errand.changesLog { _ = passOn(try open()) }
        return outcome
    }

    /// Where this laptop is left by an errand that failed.
    private func standing(
        after failure: ErrandFailure, of errand: Errand, wasIn: Bool
    ) throws(ErrandTrouble) -> ErrandTrouble.Standing {
        switch (failure, errand) {
        case (.ended, .sync): return .unsynced
        case (.ended, .join), (.timedOut, .join), (.givenUp, .join):
            return wasIn ? .asBefore : try isInGroup() ? .inside : .outside
        case (.ended, .invite), (.timedOut, .invite): return .withoutInvite
        case (_, .revoke(let keys)):
            return try decided { store throws(StoreError) in
                let rulings = try store.state().rulings
                return keys.allSatisfy { rulings[$0]?.isRevoked == true }
            }
        case (_, .accept(let key)):
            return try decided { store throws(StoreError) in
                try store.groupKeys().isAccepted(key)
            }
        default: return .undone
        }
    }

    /// Whether what was decided `holds` on this laptop all the same: then the agent may be able to tell the server.
    private func decided(
        _ holds: (DeviceStore) throws(StoreError) -> Bool
    ) throws(ErrandTrouble) -> ErrandTrouble.Standing {
        let device = try open()
        let isDecided = try here { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in try holds(device.store) }
        }
        guard isDecided else { return .undone }
        _ = passOn(device)
        return .decidedHere
    }

    // MARK: - This laptop

    private func agent(of device: Device) -> AgentStarter { AgentStarter(device.home, machine.environment) }

    /// Has the agent look at the log; the errand that is to be run where there is none.
    private func passOn(_ device: Device) -> Errand? {
        agent(of: device).passOn(device) { tell($0, device.home) }
    }

    private func open() throws(ErrandTrouble) -> Device {
        try here { () throws(DeviceFailure) in try opening(machine, opened) }
    }

    private func reading() throws(ErrandTrouble) -> Device? {
        let device = try here { () throws(DeviceFailure) in try Device.reading(machine) }
        if let device { opened(device) }
        return device
    }

    private func isInGroup() throws(ErrandTrouble) -> Bool {
        guard let device = try reading() else { return false }
        return try here { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in try device.store.group() != nil }
        }
    }

    private func membership() throws(ErrandTrouble) -> Membership? {
        guard let device = try reading() else { return nil }
        do { return try Membership(device) } catch { throw ErrandTrouble(ErrandFailure(error)) }
    }

    private func here<Result>(
        _ body: () throws(DeviceFailure) -> Result
    ) throws(ErrandTrouble) -> Result {
        do throws(DeviceFailure) { return try body() } catch { throw ErrandTrouble(.device(error)) }
    }
}

/// Opens the laptop's log for writing.
private func opening(
    _ machine: Machine, _ opened: (Device) -> Void
) throws(DeviceFailure) -> Device {
    let device = try Device(machine)
    opened(device)
    return device
}
