package import FocusCore
package import FocusDevice
package import FocusSeal
package import FocusSync

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

/// Why an errand failed.
package enum ErrandFailure: Error, Sendable {
    case ended(SyncEnd)
    /// The server refused what was asked.
    case refused(Refusal)
    case timedOut
    /// Whoever asked for it waits no longer.
    case givenUp
    case noGroup
    case joining(JoiningFailure)
    case device(DeviceFailure)
    case seal(SealError)
    /// Something else, by its own description.
    case other(String)

    /// What an error of this laptop's means for an errand.
    package init(_ error: any Error) {
        switch error {
        case let failure as ErrandFailure: self = failure
        case let end as SyncEnd: self = .ended(end)
        case let failure as JoiningFailure: self = .joining(failure)
        case let failure as DeviceFailure: self = .device(failure)
        case let error as SealError: self = .seal(error)
        default: self = .other("\(error)")
        }
    }
}

/// Why an errand came to nothing, and where that leaves this laptop.
package struct ErrandTrouble: Error, Sendable {
    /// Where this laptop is left.
    package enum Standing: Hashable, Sendable {
        /// What was asked for isn't done.
        case undone
        /// What was changed here goes with the next sync.
        case unsynced
        /// The server has no invite.
        case withoutInvite
        /// The laptop is in no group.
        case outside
        /// It is in the group that it was to join, and has yet to sync.
        case inside
        /// It is in the group that it was in, and that has the server that it had.
        case asBefore
        /// What was decided holds here, and the server and the others have yet to hear of it.
        case decidedHere
    }

    /// Why it failed.
    package let failure: ErrandFailure
    /// Where that leaves this laptop.
    package let standing: Standing
    /// What a person should know besides.
    package let notices: [SyncNotice]

    /// A failure after which nothing is done, unless something else is said.
    package init(_ failure: ErrandFailure, _ standing: Standing = .undone, notices: [SyncNotice] = []) {
        self.failure = failure
        self.standing = standing
        self.notices = notices
    }
}

/// An invite that the server knows of.
package struct MadeInvite: Sendable {
    /// The line that lets a laptop in. A secret.
    package let text: String
    /// What a person should know besides.
    package let notices: [SyncNotice]

    /// An invite that the server has just taken.
    package init(text: String, notices: [SyncNotice]) {
        self.text = text
        self.notices = notices
    }

    /// For how long it is good.
    package static let lifetime = Duration.seconds(15 * 60)
}
