import FocusCore
import FocusDevice
import FocusFront
import FocusScreen
import FocusText
import TestSupport
import Testing

@Suite("The history as a list")
struct HistoryListTests {
    /// Returns the rows that the list must have, made by a naive implementation.
    private func rows(_ history: History, _ filter: String) -> [HistoryRow] {
        let words = filter.lowercased().split(separator: " ")
        let matches = { (record: PhaseRecord) in
            words.allSatisfy { word in
                record.label.lowercased().contains(word) || record.activity.words.contains(word)
                    || record.outcome.rawValue.contains(word)
            }
        }
        let statistics = Statistics(history.records.filter(matches), .berlin)
        let days = Dictionary(grouping: history.records) { LocalCalendar.berlin.day(of: $0.startedAt) }
        return days.sorted { $0.key > $1.key }.flatMap { day, records -> [HistoryRow] in
            let found = records.sorted(by: PhaseRecord.beganInOrder).reversed().filter(matches)
            guard !found.isEmpty else { return [] }
            return [.day(day.name, statistics.total(in: day...day))]
                + found.map { .phase(PhaseRow($0) { Samples.clocks.clock($0) }) }
        }
    }

    @Test(
        "has the days, newest first, with the phases that match all words of the filter, and their totals",
        arguments: 0...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 300).events
        let (state, journal) = try EventLog(events).replayed()
        let history =
            seed == 0 ? try Samples.history() : History(journal, state, at: events.map(\.time).max() ?? 0)
        let book = HistoryIndex(history, .berlin, Samples.clocks)
        for filter in [
            "", " ", "work", "COMPLETED", "a", "break s", "paper skip", "日本", "勉強 complet", "w r i",
            "nothing",
            "e\u{301}", "clocks that nobody sets skipped work",
        ] {
            let list = book.list(filter)
            let plain = rows(history, filter)
            #expect(Array(list) == plain, "seed \(seed), '\(filter)'")
            for (index, row) in plain.enumerated() {
                guard case .phase(let phase) = row else {
                    #expect(list.id(at: index) == nil)
                    continue
                }
                #expect(list.id(at: index) == phase.name)
                #expect(list.choice(of: phase.name).map { list.index(ofChoice: $0) } == index)
            }
        }
    }

    @Test("moves the selection as a plain list does", arguments: 1...5 as ClosedRange<UInt64>)
    func moving(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let list = try Samples.historyRows(filter: seed % 2 == 0 ? "write" : "")
        let ids = list.indices.map { list.id(at: $0) }
        var place = ListSelection<RecordName>()
        for _ in 0..<100 {
            let height = Int.random(in: 1...30, using: &random)
            let count = Int.random(in: -40...40, using: &random)
            var plain = place
            plain.move(by: count, on: ids, height: height)
            place.move(by: count, on: list, height: height)
            #expect(place == plain)
            #expect(place.window(on: list, height: height) == plain.window(on: ids, height: height))
        }
    }
}
