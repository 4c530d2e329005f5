extension OfflineWorkNote.Run {
    /// Whether the run is from the log that the device had before it joined its group.
    var isOfAnotherLog: Bool { lastPress == .zero }

    /// Returns the time of the first press on another device after the last press on the run here. Until
    /// then, this device counts as in use. After that, the person may have been at the other device. Returns
    /// nil if there is no such press, or if this device wasn't in the group yet.
    func firstPressElsewhere<Log: ReplayLog>(
        in log: borrowing Log, _ own: Set<ReplicaID>
    ) throws(Log.Failure) -> SharedInstant? {
        guard !isOfAnotherLog else { return nil }
        var events = try log.events(after: Position(stamp: lastPress, replica: ReplicaID(rawValue: .max)))
        while let event = try events.next() {
            if !own.contains(event.id.replica), event.action.isPress { return event.time }
        }
        return nil
    }
}

extension OfflineWorkNote {
    /// Returns the note without the parts that later presses here make invalid. Each press removes `present`.
    /// A backdated press also removes the phases of its run that ended after its time. An undo removes all
    /// runs, because the person has decided. Call this before the device writes on returning. Cost: linear in
    /// the events since the note.
    ///
    /// - Parameter hasSlept: Whether the machine has been asleep since the note. This also removes `present`.
    package func broughtForward<Log: ReplayLog>(
        in log: borrowing Log, own: Set<ReplicaID>, hasSlept: Bool
    ) throws(Log.Failure) -> OfflineWorkNote {
        let noted = Stamp(time: notedAt, counter: .max) ?? .zero
        let last = runs.map { $0.lastPress }.max().map { max($0, noted) } ?? noted
        var note = hasSlept ? withoutPresent() : self
        var events = try log.events(after: Position(stamp: last, replica: ReplicaID(rawValue: .max)))
        while let event = try events.next() {
            guard own.contains(event.id.replica), event.action.isPress else { continue }
            note = note.withoutPresent()
            if case .undo = event.action { return OfflineWorkNote(notedAt: notedAt, runs: [], present: nil) }
            if let run = event.action.run, let at = event.action.at { note = note.ending(run, at: at) }
        }
        return note
    }

    private func withoutPresent() -> OfflineWorkNote {
        OfflineWorkNote(notedAt: notedAt, runs: runs, present: nil)
    }

    /// Returns the note without the phases of `run` that ended after the instant.
    private func ending(_ run: RunID, at instant: SharedInstant) -> OfflineWorkNote {
        let runs = runs.map { noted in
            var noted = noted
            if noted.id == run { noted.phases = noted.phases.filter { $0.endedAt <= instant } }
            return noted
        }
        return OfflineWorkNote(notedAt: notedAt, runs: runs, present: present)
    }
}

extension Action {
    /// Whether the action shows that somebody was at the device that wrote it.
    fileprivate var isPress: Bool {
        switch self {
        case .start, .pause, .resume, .stop, .skip, .complete, .rest, .adjust, .label, .set, .profile, .undo:
            true
        case .adopt, .device, .revoke, .readmit, .record, .amend, .retime, .split, .unknown: false
        }
    }
}
