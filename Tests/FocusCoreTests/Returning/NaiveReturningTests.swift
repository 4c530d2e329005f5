import FocusCore
import TestSupport
import Testing

/// Compares the events that a returning device writes by itself with a second, naive implementation of the
/// rules.
@Suite("On returning a device writes what docs/timer-rules.md §5 says")
struct NaiveReturningTests {
    /// A log that two laptops share, and the presses on each while neither heard of the other.
    private struct Parting {
        var own = LogScript()
        var others = LogScript()
        var shared = 0

        init(seed: UInt64, withProfiles: Bool = false) throws {
            var random = SeededGenerator(seed: seed)
            var log = LogScript()
            var now: SharedInstant = minutes(1)
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                try Parting.press(
                    &log, Bool.random(using: &random) ? .a : .b, now, offline: false, withProfiles, &random)
                now += random.length(upTo: minutes(20))
            }
            shared = log.events.count
            own = log
            others = log
            var (mine, theirs) = (now, now)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                mine += random.length(1, upTo: minutes(40))
                try Parting.press(&own, .a, mine, offline: true, withProfiles, &random)
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                theirs += random.length(1, upTo: minutes(50))
                try Parting.press(
                    &others, .b, theirs, offline: Int.random(in: 0..<4, using: &random) == 0, withProfiles,
                    &random)
            }
        }

        private static func press(
            _ log: inout LogScript, _ replica: ReplicaID, _ now: SharedInstant, offline: Bool,
            _ withProfiles: Bool, _ random: inout SeededGenerator
        ) throws {
            let isOpen = try log.timer(at: now).run != nil
            var interactions: [Interaction] =
                isOpen
                ? [
                    .toggle, .toggle, .stop, .skip,
                    .addTime(.seconds(Int64.random(in: -300...600, using: &random))),
                    .label("\(replica) \(now.milliseconds)"), .undo, .redo,
                    .set(.workLength, Int64.random(in: 5...50, using: &random) * 60),
                ]
                : [
                    .start(label: nil), .start(label: "Write"), .undo, .redo,
                    .set(.workLength, Int64.random(in: 5...50, using: &random) * 60),
                ]
            if withProfiles {
                interactions += [
                    .saveProfile("deep"), .saveProfile("far"), .useProfile("deep"), .useProfile("long"),
                    .removeProfile("deep"), .undo,
                ]
            }
            let interaction = interactions[Int.random(in: 0..<interactions.count, using: &random)]
            // An interaction that is refused writes nothing.
            let actions = (try? log.actions(interaction, at: now, offline: offline, by: replica)) ?? []
            for action in actions { log.add(action, now, by: replica) }
        }

        /// The instant at which both have pressed everything.
        var end: SharedInstant { max(own.events.last?.time ?? 0, others.events.last?.time ?? 0) }
    }

    /// The rules that 400 partings reach. They seldom or never reach the others: corrections, several
    /// attempts, sleeps, and phases that go on in a particular way.
    private static let usual: [NaiveRule] = [
        .sideRunStopped, .sideRunAdopted, .abandonedStopped, .pressOvertaken, .undoOvertaken, .settingAgain,
        .settingStands, .settingUndone, .continues, .kept, .keptInParts, .keptCompleted, .keptUntilOthers,
    ]

    @Test("in random partings of two laptops that use, save and remove profiles")
    func profiles() throws {
        var again = 0
        for seed in UInt64(0)..<400 {
            let parting = try Parting(seed: seed, withProfiles: true)
            let now = parting.end + 1000
            let pending = Array(parting.own.events.dropFirst(parting.shared))
            guard !pending.isEmpty else { continue }
            var log = parting.own
            for event in parting.others.events.dropFirst(parting.shared) {
                log.add(event.action, event.time, by: .b)
            }
            let expected = try #require(
                NaiveReturning(
                    log.events, pending: Set(pending.map(\.id)), own: [.a], writer: .a, shown: [], now: now))
            #expect(try log.returns(at: now, pending: pending) == expected.actions, "seed \(seed)")
            again += expected.actions.count { if case .profile = $0 { true } else { false } }
        }
        #expect(again > 0)
    }

    @Test("in random partings of two laptops, whatever was pressed", arguments: 0..<4)
    func random(part: Int) throws {
        var (kept, wentOn, tookBack, adopted) = (0, 0, 0, 0)
        var reached: Set<NaiveRule> = []
        for seed in UInt64(part) * 400..<UInt64(part) * 400 + 400 {
            var random = SeededGenerator(seed: seed &+ 1_000_000)
            let parting = try Parting(seed: seed)
            let now = parting.end + random.length(1, upTo: minutes(30))
            let pending = Array(parting.own.events.dropFirst(parting.shared))
            guard !pending.isEmpty else { continue }
            let shown = try parting.own.shown(pending, at: now)
            var log = parting.own
            for event in parting.others.events.dropFirst(parting.shared) {
                log.add(event.action, event.time, by: .b)
            }
            let expected = try #require(
                NaiveReturning(
                    log.events, pending: Set(pending.map(\.id)), own: [.a], writer: .a,
                    shown: [NaiveNote(log: parting.own.events, pending: Set(pending.map(\.id)), at: now)],
                    now: now))
            reached.formUnion(expected.rules)
            let written = try log.returns(at: now, pending: pending, shown: shown)
            #expect(written == expected.actions, "seed \(seed)")
            for action in written {
                switch action {
                case .record: kept += 1
                case .start: wentOn += 1
                case .undo: tookBack += 1
                case .adopt: adopted += 1
                default: break
                }
            }
        }
        // Each kind of action occurs.
        #expect(
            kept > 0 && wentOn > 0 && tookBack > 0 && adopted > 0, "\(kept) \(wentOn) \(tookBack) \(adopted)")
        let missing = NaiveReturningTests.usual.filter { !reached.contains($0) }
        #expect(missing.map(\.rawValue) == [])
    }
}
