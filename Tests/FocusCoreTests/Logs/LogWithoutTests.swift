import TestSupport
import Testing

@testable import FocusCore

@Suite("A log without some of its events")
struct LogWithoutTests {
    /// Returns the log's events in replay order.
    private func events<Log: ReplayLog>(of log: Log) throws -> [Event] {
        var cursor = try log.events(after: nil)
        var events: [Event] = []
        while let event = try cursor.next() { events.append(event) }
        return events
    }

    @Test("answers as if these had never been written, and the same for the others", arguments: 0..<20)
    func hidden(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = try EventLog(RandomLog(seed: seed, count: 200).events)
        let all = try events(of: log)
        let hidden = Set(all.map { $0.id }.filter { _ in Bool.random(using: &random) })
        let without = LogWithout(hidden, of: log)
        func shown(_ undos: [Undo]) -> [Undo] { undos.filter { !hidden.contains($0.id) } }
        #expect(try events(of: without) == all.filter { !hidden.contains($0.id) }, "seed \(seed)")
        #expect(without.undos(after: nil) == shown(log.undos(after: nil)), "seed \(seed)")
        #expect(without.forwardUndos() == shown(log.forwardUndos()), "seed \(seed)")
        for event in all {
            let answer = hidden.contains(event.id) ? nil : event
            #expect(without.event(event.id) == answer, "seed \(seed)")
            #expect(without.event(at: event.position) == answer, "seed \(seed)")
            #expect(without.undos(of: event.id) == shown(log.undos(of: event.id)), "seed \(seed)")
        }
    }
}
