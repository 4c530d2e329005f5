import TestSupport
import Testing

@testable import FocusCore

@Suite("The last press, for an undo")
struct LastPressTests {
    /// Returns the last press, found by a replay of the log before each change.
    private func plainLastPress(_ log: EventLog, _ state: ReplayState) -> ReplayState.Change? {
        var before = state
        while let change = before.lastChange, let event = log.event(change.id) {
            var first = event.position
            switch event.action {
            case .adopt: break
            case .amend:
                guard let kept = log.keptTogether(with: event).map(\.position).min() else { return change }
                first = min(first, kept)
            default:
                let sides = log.state(before: first).sideRuns.map(\.run.id)
                guard let run = event.action.run, run != state.lastRun, sides.contains(run) else {
                    return change
                }
            }
            before = log.state(before: first)
        }
        return before.lastChange
    }

    @Test(
        "in a random log the last press is the same with any checkpoints as by a replay for each change",
        arguments: 0..<60 as Range<UInt64>)
    func random(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 120).events
        for count in stride(from: 20, through: 120, by: 20) {
            let log = try EventLog(events.prefix(count))
            let state = log.replayed().0
            let expected = plainLastPress(log, state)
            for interval in [0, 1, 7] as [UInt64] {
                let found = CountingLog(log, checkpointInterval: interval).lastPress(state)
                #expect(found == expected, "seed \(seed), \(count) events, interval \(interval)")
            }
        }
    }

    @Test("random logs lead to presses behind events that devices wrote by themselves")
    func reach() throws {
        let skipped = try (0..<60 as Range<UInt64>).count { seed in
            let log = try EventLog(RandomLog(seed: seed, count: 120).events)
            let state = log.replayed().0
            return log.lastPress(state) != state.lastChange
        }
        #expect(skipped > 0)
    }

    /// Appends this even number of presses on a side run.
    private static func flood(_ log: inout LogScript, _ side: RunID, count: Int64) {
        for number in stride(from: 0, to: count, by: 2) {
            log.pause(side, minutes(3) + .seconds(number), by: .b)
            log.resume(side, minutes(3) + .seconds(number + 1), by: .b)
        }
    }

    @Test(
        "however often a member presses on a side run, the press before that is found by one replay",
        arguments: [0, 16] as [UInt64])
    func flood(checkpointInterval: UInt64) throws {
        var log = LogScript()
        let run = log.start(0)
        let side = log.start(minutes(1), by: .b, offline: true)
        let pause = log.pause(run, minutes(2))
        LastPressTests.flood(&log, side, count: 200)
        let all = try EventLog(log.events)
        let counting = CountingLog(all, checkpointInterval: checkpointInterval)
        #expect(counting.undoable(all.replayed().0)?.id == pause.id)
        #expect(counting.reads <= 2 * log.events.count)
        #expect(counting.lookUps <= 2 * log.events.count)
    }

    /// Returns the press that a status of this log shows.
    private func recentPress(_ log: LogScript) throws -> EventID? {
        let all = try EventLog(log.events)
        return all.recentPress(all.replayed().0, since: 0)?.id
    }

    @Test("a status doesn't look back over more than 64 presses on a side run")
    func recentPressBeforeFlood() throws {
        var log = LogScript()
        let run = log.start(0)
        let side = log.start(minutes(1), by: .b, offline: true)
        let last = log.pause(run, minutes(2))
        LastPressTests.flood(&log, side, count: 64)
        #expect(try recentPress(log) == last.id)
        log.pause(side, minutes(5), by: .b)
        #expect(try recentPress(log) == nil)
    }

    @Test("a status doesn't look back over more than 64 undos of a returning device")
    func recentPressBeforeUndos() throws {
        var log = LogScript()
        let run = log.start(0)
        let pause = log.pause(run, minutes(1), by: .b)
        let last = log.label(run, "Write", minutes(2))
        for number in 0..<64 as Range<Int64> { log.undo(pause, minutes(3) + .seconds(number), by: .b) }
        #expect(try recentPress(log) == last.id)
        log.undo(pause, minutes(5), by: .b)
        #expect(try recentPress(log) == nil)
    }
}
