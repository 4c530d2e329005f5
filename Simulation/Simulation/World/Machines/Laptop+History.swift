import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import TestSupport

// People's changes to the history: adding work that they did without the timer, and correcting records.
extension Laptop {
    /// Returns a random change to the history, or nil if the history can't be read.
    ///
    /// - Parameter label: The label of a record that is added, renamed or split.
    func correction(_ label: String, using dice: inout SeededGenerator) -> Interaction? {
        guard let now = try? device?.now() else { return nil }
        // People mostly correct recent records, so several people may correct the same record at the same
        // time.
        let isRecent = Int.random(in: 0..<4, using: &dice) > 0
        guard Int.random(in: 0..<4, using: &dice) > 0,
            let record = records(at: now).suffix(isRecent ? 3 : .max).randomElement(using: &dice)
        else {
            return pastPhase(label, before: now, using: &dice)
        }
        switch Int.random(in: 0..<10, using: &dice) {
        case ..<3: return .relabel(record.name, label)
        case ..<6: return retiming(record, using: &dice)
        case ..<8: return splitting(record, Bool.random(using: &dice) ? label : nil, using: &dice)
        default: return .remove(record.name)
        }
    }

    /// The records that somebody saw at their last look. They may have been removed since, or belong to a
    /// former group.
    private func records(at now: SharedInstant) -> ArraySlice<PhaseRecord> {
        if let seen = seenRecords, seen.corrections > 0 {
            seenRecords?.corrections -= 1
            return seen.records[...]
        }
        guard let (state, journal) = try? device?.store.history() else { return [] }
        let records = History(journal, state, at: now).records
        // A long history takes long to read, so people look at it less often.
        seenRecords = (records, records.count / 64)
        return records[...]
    }

    /// Returns a phase before this instant: mostly today, sometimes across a midnight or a year ago.
    private func pastPhase(
        _ label: String, before now: SharedInstant, using dice: inout SeededGenerator
    ) -> Interaction? {
        let reaches: [Duration] = [60_000, 3_600_000, 86_400_000, 31_536_000_000]
        let end = now - dice.length(upTo: reaches.randomElement(using: &dice) ?? 60_000)
        let lengths: [ClosedRange<Duration>] = [
            1...1, 1...60_000, 60_000...7_200_000, 86_400_000...86_400_000,
        ]
        let range = lengths.randomElement(using: &dice) ?? 1...1
        let length = dice.length(range.lowerBound, upTo: range.upperBound)
        let phase = try? PastPhase(
            Activity.allCases.randomElement(using: &dice) ?? .work, Interval(from: end - length, to: end),
            Bool.random(using: &dice) ? .completed : .stopped, label: label)
        return phase.map(Interaction.add)
    }

    /// Returns an entry of 25 minutes that began two hours ago.
    func entry(_ label: String) -> PastPhase? {
        guard let now = try? device?.now() else { return nil }
        let start = now - .seconds(7200)
        return try? PastPhase(.work, Interval(from: start, to: start + .seconds(1500)), label: label)
    }

    /// Returns a split of the entry that ended last.
    func splittingLast(using dice: inout SeededGenerator) -> Interaction? {
        guard let now = try? device?.now(), let record = records(at: now).last else { return nil }
        return splitting(record, nil, using: &dice)
    }

    /// Imports a file with one entry, as `focus import` does, unless the history has it already.
    ///
    /// - Returns: Always nil, because no press remains to be done.
    func importFile(_ label: String) -> Interaction? {
        guard isAwake, browser == nil, let device, let entry = entry(label) else { return nil }
        let source = "csv/\(label)"
        do {
            let authored = try device.store.author(now: device.now()) { authoring in
                guard try !device.store.history().journal.sources.contains(source) else { return }
                try device.introduce(in: &authoring)
                try authoring.write(.record(entry.record(source: source)))
            }
            if membership == .member, disk.hasPower { world.ledger.record(authored.events, by: self) }
            trace("imports \(label)")
        } catch {
            trace("can't import \(label): \(error)")
        }
        return nil
    }

    /// Returns a move of the record, or other times for its start and end.
    private func retiming(_ record: PhaseRecord, using dice: inout SeededGenerator) -> Interaction {
        let length = record.endedAt - record.startedAt
        let reach = max(1000, length * 2)
        let shift = dice.length(.zero - reach, upTo: reach)
        guard Bool.random(using: &dice) else {
            let interval = Interval(from: record.startedAt + shift, to: record.endedAt + shift)
            return .retime(record.name, interval, shift: shift)
        }
        let from = record.startedAt + shift
        let to = from + dice.length(1, upTo: max(1, length * 2))
        return .retime(record.name, Interval(from: from, to: to), shift: .zero)
    }

    /// Returns a split of the record at any instant from its start to its end. A split at either end is
    /// refused.
    private func splitting(
        _ record: PhaseRecord, _ label: String?, using dice: inout SeededGenerator
    ) -> Interaction {
        let instant = SharedInstant(
            milliseconds: .random(
                in: record.startedAt.milliseconds...max(record.startedAt, record.endedAt).milliseconds,
                using: &dice))
        return .split(record.name, at: instant, label: label)
    }
}
