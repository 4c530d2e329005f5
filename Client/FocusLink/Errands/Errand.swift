package import FocusCore
package import FocusDevice
package import FocusSeal

/// What a command wants of the server.
package enum Errand: Sendable {
    /// That both have the same.
    case sync
    /// To see whether the server answers, is the one that the laptop knows, and lets it in.
    case check
    /// To be let into a group, or to bring one; `name` is what the others will call this laptop, its present name
    /// where left out. The choice is about what was recorded alone.
    case join(Invite, name: String?, AloneHistory.Choice)
    /// Leave an invite of this secret to the group there.
    case invite(InviteSecret)
    /// Keep the laptops of these keys out of the group.
    case revoke([Digest])
    /// Give the group's key to the latecomer of this key.
    case accept(Digest)
    /// Say goodbye: all that was pressed here goes to the server, and this laptop's key ends there.
    case part

    /// Whether the laptop's log, or what it belongs to, may be another afterwards: the agent has to look then.
    package var changesLog: Bool {
        switch self {
        case .sync, .join, .revoke, .accept: true
        // Whoever parts starts anew next, which the agent hears of.
        case .check, .invite, .part: false
        }
    }

    /// How long a command waits for the server.
    package static let patience = Duration.seconds(30)
    /// How long a look at the server takes at most.
    package static let checkPatience = Duration.seconds(10)
    /// How long a press waits for it where there is no agent.
    package static let pressPatience = Duration.seconds(2)
}

/// What came of an errand.
package struct ErrandOutcome: Sendable {
    /// What moved.
    package internal(set) var traffic = SyncTraffic()
    /// Whether the server has it from the log that this laptop leaves, or had shut it out.
    package internal(set) var othersKnow = false
    /// Whether those that were shut out don't get the group's newest key.
    package internal(set) var hasKeyWithout = false
    /// What a person should know.
    package internal(set) var notices: [SyncNotice] = []
}
