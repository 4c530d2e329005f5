extension ReplayLog {
    /// Which of these events most likely made the session what it is now, for the person to be told who pressed: the last
    /// press on the timer. What else a device wrote at the same time, as a setting that had waited to be sent or an undo on
    /// returning, doesn't hide what another pressed. Nil where there are none.
    ///
    /// Cost: linear in the events, with a look-up for each undo.
    ///
    /// - Parameters:
    ///   - news: What was written since the person was told last, in replay order.
    ///   - own: All replicas that this device has been.
    package func lastPresser(of news: [Event], own: Set<ReplicaID>) throws(Failure) -> Event? {
        var pressed: Event?
        var tookBack: Event?
        for event in news {
            guard let change = try changeTakenBack(by: event), change.action.isPressOnSession else {
                continue
            }
            if event != change, own.contains(event.id.replica) { tookBack = event } else { pressed = event }
        }
        return pressed ?? tookBack ?? news.last
    }
}

extension Action {
    /// Whether it begins a session, or is on one that runs.
    fileprivate var isPressOnSession: Bool {
        switch self {
        case .start, .pause, .resume, .stop, .skip, .adjust, .adopt: true
        case .set, .label, .device, .revoke, .readmit, .record, .amend, .retime, .split, .undo, .unknown:
            false
        }
    }

    /// Whether it can end phases, or have them end at another time.
    var actsOnTimer: Bool {
        if case .set = self { true } else { isPressOnSession }
    }
}
