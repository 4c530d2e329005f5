package import FocusDevice
package import FocusLink
package import FocusSeal
package import FocusStore

/// The questions before a change of the group that can't be undone.
package enum GroupQuestion {
    /// Returns the question before laptops of these names are revoked.
    ///
    /// - Parameter others: Laptops that are revoked too, because a named laptop may have listed them.
    package static func revoke(_ names: [String], along others: [String]) -> String {
        let along =
            others.isEmpty
            ? "" : " and with it \(DeviceName.summary(others)), which only the server lists,"
        let they = names.count + others.count == 1 ? "It" : "They"
        return
            "Shut \(DeviceName.summary(names))\(along) out of the group for good? \(they) won't see later changes, and "
            + "unused invites end."
    }

    /// Returns the question, after a laptop has joined, whether to revoke its former self.
    package static func revoke(_ former: FormerSelf) -> String {
        let used = former.age.map { ", last used \(AgoText.text($0))," } ?? ""
        return revoke(["the former \(former.title)\(used)"], along: [])
            + " If it may be another person's, or is still in use, leave it in."
    }

    /// Returns the question whether to revoke `others` too, because the laptops in `names` may have let them
    /// in.
    package static func revokeToo(_ others: [String], with names: [String]) -> String {
        let it = names.count == 1 ? DeviceName.summary(names) : "one of these"
        let (they, them) = others.count == 1 ? ("It", "it") : ("They", "them")
        return
            "\(DeviceName.summary(others)) came after \(it), since the last change of the group's key or within a "
            + "week. \(they) may have been let in by \(names.count == 1 ? "it" : "them"). Shut \(them) out too?"
    }

    /// Returns the question before the laptop of this name and key gets the group's key.
    package static func accept(
        _ title: String, _ key: String, _ reason: DeviceSelector.AcceptReason
    ) -> String {
        let digits = DeviceName.digits(of: key)
        let name = title.firstPlace(of: digits) != nil ? title : "\(title) (\(digits))"
        let why =
            switch reason {
            case .oldKey: " It came with a key from before a laptop was shut out."
            case .readmitted: " It was shut out and then readmitted."
            case .none: ""
            }
        return "Let \(name) read later changes?\(why)"
    }

    /// Returns the question before this laptop leaves its group.
    ///
    /// - Parameters:
    ///   - isOnlyMember: Whether the group has no other laptop.
    ///   - isServer: Whether the group's server runs on this laptop.
    package static func leave(isOnlyMember: Bool, isServer: Bool) -> String {
        let parts: [String?] = [
            "Leave the group? This laptop starts over, in no group. A copy of the group's log is kept here.",
            isOnlyMember
                ? "It is the last laptop of the group, so nobody can let it in again."
                : "To come back, it needs a new invite.",
            isServer ? serverStays(isOnlyMember: isOnlyMember) : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    /// Returns the sentence about the group's server, which runs on this laptop and goes on when that leaves.
    ///
    /// - Parameter isOnlyMember: Whether the group has no other laptop.
    package static func serverStays(isOnlyMember: Bool) -> String {
        isOnlyMember
            ? "The group's server goes on running here. 'focus share --stop' ends it."
            : "The others' server goes on running here. 'focus share --stop' ends it; they then have none."
    }

    /// Returns the question before this laptop leaves its group although the server couldn't be told.
    ///
    /// - Parameter loss: The reason and what the group lacks (`Device.lossOfLeaving`).
    package static func leaveUntold(_ loss: String) -> String { "\(loss) Leave anyway?" }
}

/// The question whether a laptop that joins a group takes its own history along. It is asked before the
/// laptop connects, so that nothing has changed yet if the person cancels.
package struct SoloHistoryQuestion: Hashable, Sendable {
    /// The size of the history.
    package let extent: HistoryTransfer.Extent
    /// Whether joining ends a session.
    package let endsRun: Bool

    /// The question, or nil if there is nothing to ask: the invite is for bringing a group, or the laptop is
    /// in a group already or has no history.
    ///
    /// - Parameter device: The laptop, or nil if it has no log yet.
    package init?(_ invite: Invite, _ device: Device?) throws(StoreError) {
        guard case .joinGroup = invite.kind, let device else { return nil }
        let found = try device.store.group() == nil ? try SoloHistory.preview(device) : nil
        let calendar = device.platform.zone().calendar
        guard let found, let extent = found.history.extent(by: calendar) else { return nil }
        self.extent = extent
        endsRun = found.endsRun
    }
}

extension SoloHistoryQuestion {
    /// The history to take along, as sentences.
    package var sentences: [String] {
        ["Recorded here without a group: \(extent.text)."]
            + (endsRun
                ? [
                    "The session that is open now is part of that. Taken along, it goes on unless the group has "
                        + "one; left behind, it ends."
                ] : [])
    }

    /// The question itself.
    package static let question = "Take this history along into the group, where all members see it?"
}
