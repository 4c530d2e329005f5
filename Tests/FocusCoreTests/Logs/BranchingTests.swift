import FocusCore
import TestSupport
import Testing

@Suite struct BranchingTests {
    private let branch = ReplicaID(rawValue: 0xB0)

    @Test("references within the tail move with it, those to what stays don't")
    func references() {
        var script = LogScript()
        let before = script.start(1000)
        let stays = script.pause(before, 2000)
        let foreign = script.start(2500, by: .b)
        let run = script.start(3000, after: before)
        script.stop(before, 4000)
        script.pause(foreign, 4100)
        script.pause(run, 5000)
        script.undo(stays, 6000)
        let undo = script.undo(script.resume(run, 7000), 8000)
        script.undo(undo, 9000)
        let tail = script.events.filter { $0.id.replica == .a && $0.id.seq >= 3 }

        let moved = Branching.moved(tail, to: branch)
        let movedRun = RunID(stamp: run.position.stamp, replica: branch)
        func id(_ seq: UInt64) -> EventID { EventID(replica: branch, seq: seq) }
        #expect(moved.map(\.id) == (1...8).map(id))
        #expect(moved.map(\.stamp) == tail.map(\.stamp))
        #expect(
            moved.map(\.action) == [
                .start(.init(after: before)), .stop(before, at: nil), .pause(foreign, at: nil),
                .pause(movedRun, at: nil), .undo(stays.id), .resume(movedRun, at: nil), .undo(id(6)),
                .undo(id(7)),
            ])
        #expect(Branching.moved([], to: branch) == [])
    }

    @Test("each action that moves or is written again names nothing by the name that it had")
    func formerNames() throws {
        let former = ReplicaID(rawValue: 0xA1B2_C3D4_E5F6_0718)
        let log = EachAction(by: former)
        #expect(log.kinds == Set(0..<EachAction.kindCount))
        let again = ReauthoredEvents(
            log.events, error: minutes(1), now: minutes(40), as: branch, counts: { _ in false },
            stamp: { _ in nil })
        let moved = Branching.moved(log.events, to: branch)
        #expect(Branching.moved(moved, to: former) == log.events)
        #expect(again.events.map(\.action.at) == log.events.map { $0.action.at.map { $0 - minutes(1) } })
        for events in [moved, again.events] {
            #expect(events.count == log.events.count)
            for (old, new) in zip(log.events, events) {
                #expect(EachAction.kind(of: new.action) == EachAction.kind(of: old.action))
                #expect((new.action.namedRun == nil) == (old.action.namedRun == nil))
                #expect(new.action.namedRun?.position.replica != former)
                let bytes = hexadecimal(new.action.encoded())
                for name in [former.text, hexadecimal(Array(former.text.utf8))] {
                    #expect(!bytes.contains(name), "\(new.action) has the name of \(old.id)")
                }
            }
            // Records that were added, kept, split off or corrected are in the history under their new names.
            #expect(try labels(of: events) == labels(of: log.events))
            #expect(try labels(of: events) == ["first", "hand", "imported", "kept", "named", "rest"])
        }
    }

    private func labels(of events: [Event]) throws -> [String] {
        let (state, journal) = try EventLog(events).replayed()
        return History(journal, state, at: minutes(50)).records.filter { $0.activity == .work }
            .map(\.label).sorted()
    }

    @Test("a longer tail begins with what a shorter one becomes", arguments: [1, 2, 4, 5] as [UInt64])
    func prefixes(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 120).events
        let replica = try #require(events.first?.id.replica)
        let tail = Array(events.filter { $0.id.replica == replica }.dropFirst(3))
        let whole = Branching.moved(tail, to: branch)
        for count in tail.indices {
            #expect(
                Branching.moved(Array(tail[..<count]), to: branch) == Array(whole[..<count]), "seed \(seed)")
        }
        #expect(throws: Never.self, "seed \(seed)") { try EventLog(whole) }
    }
}
