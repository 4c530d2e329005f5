/// A person's correction of the times of a record (docs/timer-rules.md §4, "retime", "split").
package struct TimeCorrection: Hashable, Sendable {
    /// The kind of a correction, with its values.
    package enum Change: Hashable, Sendable {
        /// Moves the running intervals by `shift`, whole milliseconds, and fits them into the interval. The
        /// interval isn't empty, begins in 1970 or later, and isn't longer than a `record` may be.
        case times(Interval, shift: Duration)
        /// Splits the record in two at an instant. The second record has `label`, or the label of the first
        /// if `label` is nil.
        case split(at: SharedInstant, label: String?)
    }

    /// The name of the corrected record.
    package let name: RecordName
    /// The correction of that record.
    package let change: Change
    /// The position of the event that corrects. It is the run of the second record after a split.
    package let second: RunID

    /// Creates the correction of a `retime`, or nil if the event isn't valid.
    init?(_ retime: Action.Retime, of event: Event) {
        guard retime.endedAt <= event.time else { return nil }
        self.init(.retime(retime), second: RunID(event.position))
    }

    init(_ split: Action.Split, of event: Event) {
        name = RecordName(run: split.run, ordinal: split.ordinal)
        change = .split(at: split.instant, label: split.label.map(Text.cleaned))
        second = RunID(event.position)
    }

    /// Creates the correction from an action, or nil if the action is neither a valid `retime` nor a `split`.
    /// It doesn't compare the times with the event's own time.
    init?(_ action: Action, second: RunID) {
        self.second = second
        switch action {
        case .retime(let retime):
            guard retime.startedAt >= .zero, retime.startedAt < retime.endedAt,
                retime.endedAt - retime.startedAt <= Action.Record.longest
            else { return nil }
            name = RecordName(run: retime.run, ordinal: retime.ordinal)
            change = .times(Interval(from: retime.startedAt, to: retime.endedAt), shift: retime.shift)
        case .split(let split):
            name = RecordName(run: split.run, ordinal: split.ordinal)
            change = .split(at: split.instant, label: split.label)
        default: return nil
        }
    }

    /// The action that describes the same correction.
    var action: Action {
        switch change {
        case .times(let interval, let shift):
            .retime(
                Action.Retime(
                    run: name.run, ordinal: name.ordinal, startedAt: interval.from, endedAt: interval.to,
                    shift: shift))
        case .split(let instant, let label):
            .split(Action.Split(run: name.run, ordinal: name.ordinal, instant: instant, label: label))
        }
    }
}

extension [TimeCorrection] {
    /// Returns these records and their second records: the later parts that splits made of them, or of such
    /// a part.
    func withSplitParts(_ names: [RecordName]) -> [RecordName] {
        var all = names
        var known = Set(names)
        for correction in self where known.contains(correction.name) {
            guard case .split = correction.change else { continue }
            let second = RecordName(run: correction.second, ordinal: 0)
            if known.insert(second).inserted { all.append(second) }
        }
        return all
    }
}

extension [PhaseRecord] {
    /// Returns the records with the corrections applied in order. Each correction acts on the result of those
    /// before it.
    ///
    /// Cost: linear in the records and in the corrections.
    func corrected(by corrections: [TimeCorrection]) -> [PhaseRecord] {
        guard !corrections.isEmpty else { return self }
        let meant = Set(corrections.map { $0.name })
        var places: [RecordName: Int] = [:]
        for (place, record) in enumerated() where meant.contains(record.name) { places[record.name] = place }
        var records = self
        for correction in corrections {
            guard let place = places[correction.name] else { continue }
            switch correction.change {
            case .times(let interval, let shift):
                records[place].fit(in: interval, movedBy: shift)
            case .split(let instant, let label):
                let second = RecordName(run: correction.second, ordinal: 0)
                guard let rest = records[place].split(at: instant, restNamed: second, label) else { continue }
                places[second] = records.count
                records.append(rest)
            }
        }
        return records
    }
}

extension PhaseRecord {
    /// Gives the record these times. Its spans are moved by `shift` and cut to the interval. Time that is
    /// then missing at either end counts as running.
    fileprivate mutating func fit(in interval: Interval, movedBy shift: Duration) {
        let from = startedAt + shift
        let to = endedAt + shift
        var fitted: Spans = .none
        fitted.add(from: interval.from, to: Swift.min(from, interval.to))
        for span in spans.intervals {
            fitted.add(
                from: Swift.max(span.from + shift, interval.from),
                to: Swift.min(span.to + shift, interval.to))
        }
        fitted.add(from: Swift.max(to, interval.from), to: interval.to)
        (startedAt, endedAt, spans) = (interval.from, interval.to, fitted)
    }

    /// Ends the record at an instant, and returns a second record of the rest. Returns nil and changes
    /// nothing unless both have running time. The part with more running time keeps the outcome, or the first
    /// if they are equal. The other becomes stopped, so that a completed phase counts once.
    fileprivate mutating func split(
        at instant: SharedInstant, restNamed name: RecordName, _ label: String?
    ) -> PhaseRecord? {
        let (before, after) = (
            cut(to: Interval(from: .distantPast, to: instant)),
            cut(to: Interval(from: instant, to: .distantFuture))
        )
        guard !before.isEmpty, !after.isEmpty else { return nil }
        var rest = self
        (rest.run, rest.ordinal, rest.source) = (name.run, name.ordinal, nil)
        (rest.startedAt, rest.spans) = (instant, after)
        rest.label = label ?? self.label
        (endedAt, spans) = (instant, before)
        if before.active >= after.active {
            rest.outcome = .stopped
        } else {
            outcome = .stopped
        }
        return rest
    }

    private func cut(to interval: Interval) -> Spans {
        var cut: Spans = .none
        for span in spans.intervals {
            cut.add(from: Swift.max(span.from, interval.from), to: Swift.min(span.to, interval.to))
        }
        return cut
    }
}
