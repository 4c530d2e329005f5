extension ShownWork.Run {
    /// Whether it was pressed on in a log of the device's own, before it joined.
    var isOfAnotherLog: Bool { lastPress == .zero }

    /// Until when the device is taken to have been in use: until the others pressed anything after the last press here,
    /// since whoever was here may have been there then. Nil where nobody did, and where they had nothing to do with each
    /// other yet.
    func through<Log: ReplayLog>(
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

extension ShownWork {
    /// The note as it holds once more was pressed here: nobody is in the middle of that phase any more, a press of a while
    /// ago says that a session was over before, and what an undo is about is the person's to say.
    ///
    /// To be asked before the device writes anything on returning. Cost: linear in the events since it was noted.
    ///
    /// - Parameter hasSlept: Whether the machine has been asleep since.
    package func broughtForward<Log: ReplayLog>(
        in log: borrowing Log, own: Set<ReplicaID>, hasSlept: Bool
    ) throws(Log.Failure) -> ShownWork {
        let noted = Stamp(time: notedAt, counter: .max) ?? .zero
        let last = runs.map { $0.lastPress }.max().map { max($0, noted) } ?? noted
        var note = hasSlept ? without(present: true) : self
        var events = try log.events(after: Position(stamp: last, replica: ReplicaID(rawValue: .max)))
        while let event = try events.next() {
            guard own.contains(event.id.replica), event.action.isPress else { continue }
            note = note.without(present: true)
            if case .undo = event.action { return ShownWork(notedAt: notedAt, runs: [], present: nil) }
            if let run = event.action.run, let at = event.action.at { note = note.ending(run, at: at) }
        }
        return note
    }

    private func without(present isLeftOut: Bool) -> ShownWork {
        ShownWork(notedAt: notedAt, runs: runs, present: isLeftOut ? nil : present)
    }

    private func ending(_ run: RunID, at instant: SharedInstant) -> ShownWork {
        let runs = runs.map { noted in
            var noted = noted
            if noted.id == run { noted.phases = noted.phases.filter { $0.endedAt <= instant } }
            return noted
        }
        return ShownWork(notedAt: notedAt, runs: runs, present: present)
    }
}

extension Action {
    /// Whether it shows that somebody was at the device that wrote it.
    fileprivate var isPress: Bool {
        switch self {
        case .start, .pause, .resume, .stop, .skip, .adjust, .label, .set, .undo: true
        case .adopt, .device, .revoke, .readmit, .record, .amend, .retime, .split, .unknown: false
        }
    }
}
