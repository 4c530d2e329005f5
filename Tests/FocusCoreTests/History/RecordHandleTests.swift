import TestSupport
import Testing

@testable import FocusCore

@Suite("Handles of records")
struct RecordHandleTests {
    /// Returns a history of `count` phases in few runs, as long sessions produce it.
    private func history(_ count: Int) -> History {
        var journal = Journal()
        var random = SeededGenerator(seed: 3)
        var run = RunID(stamp: .zero, replica: .a)
        for number in 0..<count {
            if number % 7 == 0 {
                run = RunID(
                    stamp: Stamp(rawValue: UInt64(number) << 16),
                    replica: ReplicaID(rawValue: random.next() % 3))
            }
            journal.append(
                .record(
                    PhaseRecord(
                        run: run, ordinal: Int64(number % 7), startedAt: 0,
                        endedAt: SharedInstant(milliseconds: Int64(number)), label: "",
                        spans: .none, activity: .work, outcome: .completed, source: nil)))
        }
        return History(journal, ReplayState(), at: 0)
    }

    @Test("what is shown is the record's own, is short, and finds it again, in any case")
    func shown() {
        let history = history(20_000)
        let handles = RecordHandles(history)
        var seen: Set<String> = []
        for record in history.records {
            let shown = handles.shown(record.name)
            #expect(seen.insert(shown).inserted)
            #expect(shown.count <= 8)
            #expect(handles.records(beginning: shown.uppercased()) == [record])
            #expect(RecordHandle(record.name).text.hasPrefix(shown))
        }
        #expect(seen.count == 20_000)
        #expect(history.sharedHandles(of: history.records).isEmpty)
        // Few handles begin alike, so nearly all are shown in their shortest length.
        #expect(seen.count { $0.count == 6 } > 19_000)
    }

    @Test("a handle stays what it is from version to version")
    func stable() throws {
        let stamp = try #require(Stamp(time: 1_763_661_600_000, counter: 1))
        let run = RunID(stamp: stamp, replica: ReplicaID(rawValue: 0x9f2c_6a1b_00d4_e7aa))
        #expect(RecordHandle(RecordName(run: run, ordinal: 0)).text == "gyqypy197nyet")
        #expect(RecordHandle(RecordName(run: run, ordinal: 1)).text == "kdnh66zg5tp0c")
    }

    @Test("records that somebody gave one handle are told apart by their names")
    func shared() {
        // SplitMix64's finalizer, which makes a handle from a name. So a person who chooses the replica also
        // chooses the handle.
        let mixed = { (number: UInt64) in
            var mixed = number &+ 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
        let stamps = [1, 2, 3].map { Stamp(rawValue: $0 << 16) }
        let names = stamps.map { stamp in
            let replica = 0xA ^ mixed(stamps[0].rawValue) ^ mixed(stamp.rawValue)
            return RecordName(run: RunID(stamp: stamp, replica: ReplicaID(rawValue: replica)), ordinal: 0)
        }
        #expect(Set(names.map { RecordHandle($0).text }).count == 1)
        var journal = Journal()
        for name in names {
            journal.append(
                .record(
                    PhaseRecord(
                        run: name.run, ordinal: name.ordinal, startedAt: 0, endedAt: 1, label: "",
                        spans: .none,
                        activity: .work, outcome: .completed, source: nil)))
        }
        let history = History(journal, ReplayState(), at: 2)
        let handles = RecordHandles(history)
        for (name, record) in zip(names, history.records) {
            #expect(handles.shown(name) == name.text)
            #expect(history.sharedHandles(of: [record]) == [RecordHandle(name)])
            #expect(handles.records(beginning: handles.shown(name)).map(\.name) == [name])
        }
        #expect(handles.records(beginning: RecordHandle(names[0]).text).count == 3)
    }

    @Test("the beginning of several gives all of them, and nothing gives none")
    func several() {
        let history = history(1000)
        let handles = RecordHandles(history)
        let all = "0123456789abcdefghjkmnpqrstvwxyz".map { handles.records(beginning: String($0)).count }
        #expect(all.reduce(0, +) == 1000)
        #expect(handles.records(beginning: "") == [])
        #expect(handles.records(beginning: "u") == [])
        #expect(handles.records(beginning: "\u{1F345}") == [])
    }
}
