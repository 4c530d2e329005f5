package import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
import FocusStore
import FocusSync
import FocusText

/// The commands that need the server or the agent, in the real world.
package struct LiveNetwork: ClientNetwork {
    /// How long a command waits for the server.
    private static let patience = Duration.seconds(30)
    /// How long a press waits for it where there is no agent.
    private static let pressPatience = Duration.seconds(2)

    package init() {}

    package func join(
        _ source: InviteSource, name: String?, in context: CommandContext
    ) throws(CommandFailure) {
        let text = try source.text(context)
        let outcome = try run(in: context) { device in
            .join(try Joining(try Invite(text), name: name, device))
        }
        let device = try Device(context)
        logChanged(on: device, in: context)
        AgentStarter(device.home, context.environment).waitForStart()
        let devices = try device.using { device throws(StoreError) in
            try DeviceList(device).entries.count { !$0.isRevoked }
        }
        let others = devices == 1 ? "no other laptop yet" : "\(devices) laptops in all"
        try context.print(
            "This laptop is in the group now, as \(try device.using { _ throws(StoreError) in try device.name() }), with \(others).\n"
        )
        if devices == 1 {
            try context.print(
                "Let the next one in with 'focus invite' here, and 'focus join INVITE' there.\n")
        }
        say(outcome.notices, context)
    }

    package func invite(in context: CommandContext) throws(CommandFailure) {
        let secret: InviteSecret
        do { secret = try InviteSecret.random() } catch { throw CommandFailure("\(error)") }
        let outcome = try run(in: context) { device in
            guard let group = try device.store.group(), let epoch = try device.store.epochs().last else {
                throw ErrandFailure.noGroup
            }
            let bundle = GroupBundle(group: group, key: try EpochKey(SecretBytes(epoch.key)))
            return .invite(
                InviteRequest(
                    tokenHash: try secret.token().hash(), bundle: try secret.wrap(bundle),
                    lifetime: 15 * 60 * 1000))
        }
        let device = try Device.reading(context)
        do {
            guard let device, let membership = try Membership(device) else { throw ErrandFailure.noGroup }
            let invite = try Invite(
                kind: .joinGroup, addresses: membership.server.addresses, server: membership.server.key,
                secret: secret)
            context.console.say(
                "This invite lets one laptop into the group, within 15 minutes. There: focus join INVITE")
            try context.print("\(try invite.text())\n")
        } catch {
            throw ErrandFailure(error).asCommandFailure
        }
        say(outcome.notices, context)
    }

    package func sync(json: Bool, in context: CommandContext) throws(CommandFailure) {
        let outcome = try run(in: context) { _ in .sync }
        logChanged(on: try Device(context), in: context)
        let traffic = outcome.traffic
        if json {
            let object = JSON.object([
                JSON.Member("sent", .integer(traffic.sent)),
                JSON.Member("received", .integer(traffic.received)),
                JSON.Member("notices", .array(outcome.notices.map { .string($0.description) })),
            ])
            return try context.print("\(object)\n")
        }
        try context.print("In sync: \(counted(traffic.sent, "event")) sent, \(traffic.received) received.\n")
        say(outcome.notices, context)
    }

    package func revokeDevice(_ name: String, in context: CommandContext) throws(CommandFailure) {
        _ = try run(in: context) { device in .revoke(try DeviceKeys(device).key(of: name)) }
        logChanged(on: try Device(context), in: context)
        try context.print("\(name) is out: the server refuses it from now on.\n")
    }

    package func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure) {
        let starter = AgentStarter(try Home(context.environment), context.environment)
        switch request {
        case .run: try AgentProcess.run(in: context)
        case .status: try context.print(try starter.status().text)
        case .stop:
            try starter.stop()
            try context.print("The agent has stopped.\n")
        }
    }

    package func follow(_ form: StatusForm, in context: CommandContext) throws(CommandFailure) {
        let device = try Device(context)
        if (try? Membership(device)) ?? nil != nil {
            AgentStarter(device.home, context.environment).startIfNone()
        }
        try FollowCommand(form: form).run(in: context)
    }

    /// Lets the rest of the group know of what was pressed: by the agent, which is started where it doesn't run,
    /// or where the person wants none, by a connection of its own that takes 2 seconds at most.
    package func logChanged(on device: Device, in context: CommandContext) {
        let starter = AgentStarter(device.home, context.environment)
        if starter.poke() { return }
        guard (try? Membership(device)) ?? nil != nil else { return }
        if starter.isUnwanted {
            // A press never fails for want of the server: it is kept, and goes with the next.
            _ = try? run(in: context, within: LiveNetwork.pressPatience) { _ in .sync }
        } else {
            starter.startIfNone()
        }
    }

    private func run(
        in context: CommandContext, within timeout: Duration = patience,
        _ makeErrand: @escaping @Sendable (Device) throws -> Errand
    ) throws(CommandFailure) -> ErrandOutcome {
        do {
            return try OneShot.run(within: timeout, openDevice: { try Device(context) }, makeErrand)
        } catch {
            throw ErrandFailure(error).asCommandFailure
        }
    }

    private func say(_ notices: [SyncNotice], _ context: CommandContext) {
        for notice in notices { context.console.say(notice.description) }
    }
}

extension InviteSource {
    /// The invite's text.
    fileprivate func text(_ context: CommandContext) throws(CommandFailure) -> String {
        switch self {
        case .argument(let text): return text
        case .standardInput:
            do throws(SystemError) {
                return String(decoding: try context.contents("-"), as: UTF8.self)
            } catch {
                throw CommandFailure(error)
            }
        }
    }
}
