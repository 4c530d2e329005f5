import FocusCore
import FocusStore

extension Device {
    /// Keeps a sleep until something can be decided about it, where the laptop's person wants that and a session was
    /// running. One before it that is undecided yet is decided about now.
    ///
    /// - Parameter found: of this boot.
    /// - Returns: What was done about the one before it; nil where there was none.
    package func record(_ found: SleepWatch.Found) throws -> Waking.Decision? {
        let from = try now() - (clocks.sinceBoot() - found.from)
        guard let sleep = Sleep(from: from, until: from + found.length), sleep.isLong,
            try LaptopSetting.sleep.isOn(store)
        else { return nil }
        let decision = try isUndecidedAboutSleep() ? decideAboutSleep() : nil
        if sleep.pause(try store.state()) != nil {
            try store.setKeptSleeps(try store.keptSleeps() + [KeptSleep(sleep)])
        }
        return decision
    }

    /// Decides about the sleeps that are kept, though the server can't be asked who was there meanwhile; where there is
    /// none to be asked, for good.
    package func decideAboutSleep() throws -> Waking.Decision {
        let now = try now()
        let own = try ownReplicas()
        let (deeds, events) = try store.author(now: now) { authoring in
            let waking = try Waking(
                store, own: own, presence: try store.group() == nil ? [] : nil, now: now)
            return try waking.carryOut(in: &authoring)
        }
        return Waking.Decision(deeds: deeds, written: events, now: now)
    }

    /// Whether a sleep is kept about which nothing has been decided.
    package func isUndecidedAboutSleep() throws -> Bool {
        try store.keptSleeps().contains { $0.pause == nil }
    }
}
