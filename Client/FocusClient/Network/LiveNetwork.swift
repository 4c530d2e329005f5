package import CommandLineKit
import FocusAgent
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
import FocusStore
import FocusText
import FocusWords

/// The commands that need the server or the agent, in the real world.
package struct LiveNetwork: ClientNetwork {
    package init() {}

    package func join(
        _ invite: Invite, called name: String?, _ choice: AloneHistory.Choice, giving: GivingUp,
        in context: CommandContext
    ) throws(CommandFailure) -> Joined {
        let wasIn = try isInGroup(context)
        let outcome = try run(.join(invite, name: name, choice), giving: giving, in: context)
        let device = try context.openDevice()
        context.agent(of: device.home).waitForStart()
        return try device.using { device throws(StoreError) in
            try Joined(device, with: invite, wasIn: wasIn, notices: outcome.notices)
        }
    }

    package func invite(in context: CommandContext) throws(CommandFailure) -> MadeInvite {
        let secret: InviteSecret
        do { secret = try InviteSecret.random() } catch { throw CommandFailure("\(error)") }
        let outcome = try run(.invite(secret), in: context)
        let device = try context.readDevice()
        do {
            guard let device, let membership = try Membership(device) else { throw ErrandFailure.noGroup }
            return MadeInvite(text: try membership.invite(secret).text(), notices: outcome.notices)
        } catch {
            throw ErrandFailure(error).asCommandFailure
        }
    }

    package func sync(json: Bool, in context: CommandContext) throws(CommandFailure) {
        let outcome = try run(.sync, in: context)
        let traffic = outcome.traffic
        if json {
            let object = JSON.object([
                JSON.Member("sent", .integer(traffic.sent)),
                JSON.Member("received", .integer(traffic.received)),
                JSON.Member("notices", .array(outcome.notices.map { .string($0.sentence) })),
            ])
            return try context.print("\(object)\n")
        }
        try context.print("In sync: \(counted(traffic.sent, "change")) sent, \(traffic.received) received.\n")
        context.console.say(outcome.notices)
    }

    package func check(in context: CommandContext) throws(CommandFailure) -> String {
        _ = try run(.check, within: Errand.checkPatience, in: context)
        do {
            let membership = try context.readDevice().flatMap { try Membership($0) }
            return membership?.server.addresses.joined(separator: ", ") ?? ""
        } catch {
            throw ErrandFailure(error).asCommandFailure
        }
    }

    package func revokeDevices(
        _ keys: [Digest], called names: String, in context: CommandContext
    ) throws(CommandFailure) {
        let outcome: ErrandOutcome
        do throws(CommandFailure) {
            outcome = try run(.revoke(keys), in: context)
        } catch {
            let kept =
                "\(names): shut out on this laptop; the server and the others hear of it with the next sync."
            throw try failure(error, kept, in: context) { store throws(StoreError) in
                let rulings = try store.state().rulings
                return keys.allSatisfy { rulings[$0]?.isRevoked == true }
            }
        }
        let isAre = keys.count == 1 ? "is" : "are"
        try context.print(
            outcome.hasKeyWithout
                ? "\(names) \(isAre) out: the server refuses \(keys.count == 1 ? "it" : "them") from now on, and what is changed from now on is sealed under a new key, which \(keys.count == 1 ? "it doesn't" : "they don't") get.\n"
                : "\(names) \(isAre) out: the server refuses \(keys.count == 1 ? "it" : "them") from now on.\n"
        )
        context.console.say(outcome.notices.filter { if case .keyChanged = $0 { false } else { true } })
    }

    /// What a command says whose errand failed, and what is `kept` on this laptop all the same, where that `holds`. Where
    /// the server couldn't be told, the agent may be able to.
    private func failure(
        _ error: CommandFailure, _ kept: String, in context: CommandContext,
        holds: (DeviceStore) throws(StoreError) -> Bool
    ) throws(CommandFailure) -> CommandFailure {
        let device = try context.openDevice()
        guard try device.using({ device throws(StoreError) in try holds(device.store) }) else { return error }
        passOn(device, in: context)
        return CommandFailure("\(error.message) \(kept)", error.status)
    }

    package func acceptDevice(
        _ key: Digest, called name: String, in context: CommandContext
    ) throws(CommandFailure) {
        let outcome: ErrandOutcome
        do throws(CommandFailure) {
            outcome = try run(.accept(key), in: context)
        } catch {
            let kept = "\(name): accepted on this laptop; it gets the group's key with the next sync."
            throw try failure(error, kept, in: context) { store throws(StoreError) in
                try store.devices().contains { $0.key == key && $0.isAccepted }
            }
        }
        try context.print("\(name) is in: it can read what is changed from now on.\n")
        context.console.say(outcome.notices.filter { if case .newcomers = $0 { false } else { true } })
    }

    package func part(in context: CommandContext) throws(CommandFailure) -> Bool {
        try run(.part, in: context).othersKnow
    }

    package func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure) {
        if request == .run {
            return try run(in: context)
        }
        let home = try told { () throws(DeviceFailure) in try Home(context.environment) }
        let starter = context.agent(of: home)
        switch request {
        case .run: break
        case .status(let json):
            do throws(CommandFailure) {
                let status = try asked(home) { () throws(AgentFailure) in try starter.status() }
                try context.print(
                    json ? "\(status.document)\n" : status.text(home, isMember: isMember(context)))
            } catch  where json && error.status == .notNow {
                try context.print("\(AgentStatus.absent)\n")
                throw error
            }
        case .stop:
            try asked(home) { () throws(AgentFailure) in try starter.stop() }
            try context.print("The agent has stopped.\n")
        }
    }

    /// Is the agent until it is asked to stop.
    private func run(in context: CommandContext) throws(CommandFailure) {
        AgentSurroundings.leave()
        let home = try told { () throws(DeviceFailure) in try Home(context.environment) }
        do {
            try AgentProcess.run(
                on: context.machine, opening: context.openDevice, messages: context.console.messages
            ) { PageServer($0, in: context) }
        } catch {
            throw CommandFailure(ofRunning: error, home)
        }
    }

    private func isMember(_ context: CommandContext) throws(CommandFailure) -> Bool {
        guard let device = try context.readDevice() else { return false }
        return try device.using { device throws(StoreError) in try device.store.group() } != nil
    }

    package func view(in context: CommandContext) throws(CommandFailure) {
        try startAgent(in: context)
        try FullScreen.run(in: context)
    }

    package func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure) {
        let device = try context.openDevice()
        let starter = context.agent(of: device.home)
        switch request {
        case .open, .print:
            try WebCommand(printsOnly: request == .print).run(starter, device.home, in: context)
        case .forget: try ForgetBrowsersCommand().run(starter, device, in: context)
        }
    }

    package func follow(_ form: StatusForm, in context: CommandContext) throws(CommandFailure) {
        try startAgent(in: context)
        try FollowCommand(form: form).run(in: context)
    }

    /// Starts the agent where none runs: what goes on showing wants to hear of the others.
    private func startAgent(in context: CommandContext) throws(CommandFailure) {
        let device = try context.openDevice()
        do throws(AgentFailure) {
            try context.agent(of: device.home).startIfNone()
        } catch {
            say(error, device, in: context)
        }
    }

    package func logChanged(on device: Device, in context: CommandContext) {
        let starter = context.agent(of: device.home)
        guard let errand = starter.passOn(device, orSay: { say($0, device, in: context) }) else { return }
        let outcome = try? OneShot.wait(
            for: errand, within: Errand.pressPatience, opening: context.openDevice)
        // Who has the group's key is said wherever it comes up; the agent's log has the rest, where one runs.
        context.console.say(outcome?.notices.filter(\.isAboutKey) ?? [])
    }

    /// Runs an errand, and has the agent look at what came of it.
    private func run(
        _ errand: Errand, within patience: Duration = Errand.patience, giving: GivingUp? = nil,
        in context: CommandContext
    ) throws(CommandFailure) -> ErrandOutcome {
        let outcome: ErrandOutcome
        var notices: [SyncNotice] = []
        let wasIn = try isInGroup(context)
        do {
            outcome = try OneShot.wait(
                for: errand, within: patience, opening: context.openDevice, giving: giving
            ) { notices = $0 }
        } catch {
            context.console.say(notices)
            throw try failure(of: errand, ErrandFailure(error), wasIn: wasIn, context)
        }
        if errand.changesLog {
            let device = try context.openDevice()
            passOn(device, in: context)
        }
        return outcome
    }

    /// Has the agent look at the log.
    private func passOn(_ device: Device, in context: CommandContext) {
        _ = context.agent(of: device.home).passOn(device, orSay: { say($0, device, in: context) })
    }

    private func say(_ failure: AgentFailure, _ device: Device, in context: CommandContext) {
        context.console.say(CommandFailure(failure, device.home).message)
    }

    /// What a command says whose errand failed: what was asked for isn't done, but where that holds on this laptop.
    private func failure(
        of errand: Errand, _ failure: ErrandFailure, wasIn: Bool, _ context: CommandContext
    ) throws(CommandFailure) -> CommandFailure {
        let command = failure.asCommandFailure
        let outcome: String
        switch (failure, errand) {
        case (.ended(let end), .sync): return CommandFailure(end.assurance, command.status)
        case (.ended, .join), (.timedOut, .join), (.givenUp, .join):
            outcome =
                wasIn
                ? "Nothing was changed."
                : try isInGroup(context)
                    ? "This laptop is in the group, and syncs once that works." : "This laptop hasn't joined."
        case (.ended, .invite), (.timedOut, .invite): outcome = "No invite was made."
        default: return command
        }
        return CommandFailure("\(command.message) \(outcome)", command.status)
    }

    private func isInGroup(_ context: CommandContext) throws(CommandFailure) -> Bool {
        try context.readDevice()?.using { device throws(StoreError) in try device.store.group() != nil }
            ?? false
    }
}
