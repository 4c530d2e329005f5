import FocusCore
import TestSupport
import Testing

/// Chains of undos, each of which takes back the one before. Any device of a group can write a long one.
@Suite("Chains of undos")
struct UndoChainTests {
    private static let length = 2_000

    /// Returns a session that is stopped, and a chain of undos of that stop, in the order in which they were
    /// written.
    private static func chain() throws -> (log: EventLog, stop: Event, undos: [Event]) {
        var script = LogScript()
        let run = script.start(0)
        var last = script.stop(run, minutes(1))
        let first = last
        for second in 1...length { last = script.undo(last, minutes(2) + .seconds(second)) }
        let log = try EventLog(script.events)
        let undos = script.events.filter { Undo($0) != nil }
        return (log, first, undos)
    }

    @Test(
        "what a chain of undos changes, and who pressed last, is found by looking at each once",
        arguments: [false, true])
    func lookUps(isReversed: Bool) throws {
        let (events, stop, undos) = try UndoChainTests.chain()
        let news = isReversed ? undos.reversed() : undos
        let log = CountingLog(events)
        #expect(log.firstAffected(by: news) == stop.position)
        #expect(log.lookUps <= 2 * UndoChainTests.length)
        let other = CountingLog(events)
        #expect(other.lastPresser(of: news, own: []) == news.last)
        #expect(other.lookUps <= 2 * UndoChainTests.length)
    }

    @Test(
        "several events together change a log from where the first of them does alone",
        arguments: UInt64(1)...30)
    func together(seed: UInt64) throws {
        let log = try EventLog(RandomLog(seed: seed, count: 200).events)
        var random = SeededGenerator(seed: seed)
        let events = RandomLog(seed: seed, count: 200).events.shuffled(using: &random)
        for count in [1, 5, 40, 200] {
            let some = events.prefix(count)
            let alone = some.compactMap { log.firstAffected(by: [$0]) }.min()
            #expect(log.firstAffected(by: some) == alone, "seed \(seed), \(count) events")
        }
        #expect(log.firstAffected(by: []) == nil)
    }
}
