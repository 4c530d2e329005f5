import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5: the result of presses within one outage doesn't depend on which device returns
/// first.
@Suite("Laptops that were cut off at once")
struct ReturningOrderTests {
    /// Three laptops with the same log, and the presses on each while none heard of the others.
    private struct Outage {
        var shared = LogScript()
        var pending: [ReplicaID: [Event]] = [:]

        static let laptops: [ReplicaID] = [.a, .b, .c]

        init(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let run = shared.start(0, by: .a)
            if Bool.random(using: &random) { shared.pause(run, minutes(2), by: .b) }
            var logs = Dictionary(uniqueKeysWithValues: Outage.laptops.map { ($0, shared) })
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                let laptop = Outage.laptops[Int.random(in: 0..<3, using: &random)]
                let interactions: [Interaction] = [
                    .toggle, .toggle, .stop, .skip,
                    .addTime(.seconds(Int64.random(in: 1...300, using: &random))),
                    .label("\(laptop)"),
                ]
                let interaction = interactions[Int.random(in: 0..<interactions.count, using: &random)]
                let count = pending.values.reduce(0) { $0 + $1.count }
                let time: SharedInstant =
                    minutes(10) + seconds(Int64(count) * .random(in: 1...600, using: &random))
                let after = logs[laptop]?.events.last?.time ?? 0
                guard var log = logs[laptop], try log.timer(at: max(time, after)).run != nil,
                    let event = try log.press(interaction, max(time, after), by: laptop)
                else { continue }
                logs[laptop] = log
                pending[laptop, default: []].append(event)
            }
        }

        /// Returns the state that all laptops show at `now`, if they return in this order, one minute apart.
        func outcome(_ order: [ReplicaID], at now: SharedInstant) throws -> NaiveState {
            var log = shared
            for (place, laptop) in order.enumerated() {
                let mine = pending[laptop] ?? []
                for event in mine { log.add(event.action, event.time, by: laptop) }
                // In these outages the only actions that a device writes by itself are undos.
                for action in try log.returns(
                    at: minutes(200 + Int64(place)), own: [laptop],
                    pending: log.events.filter { event in
                        mine.contains { $0.id.replica == event.id.replica && $0.id.seq == event.id.seq }
                    })
                {
                    guard case .undo = action else {
                        Issue.record("a laptop wrote \(action)")
                        continue
                    }
                }
            }
            return try log.state(at: now)
        }

        /// Whether, by the table, any press is overtaken by a press on another laptop.
        var hasContradiction: Bool {
            let all = pending.values.flatMap(\.self)
            return all.contains { earlier in
                all.contains { later in
                    later.id.replica != earlier.id.replica && later.stamp > earlier.stamp
                        && Outage.isOvertaken(earlier.action, by: later.action)
                }
            }
        }

        private static func isOvertaken(_ earlier: Action, by later: Action) -> Bool {
            switch (earlier, later) {
            case (.pause, .skip), (.resume, .skip), (.stop, .resume), (.stop, .skip), (.stop, .adjust): true
            case (.skip(_, let one, _), .skip(_, let other, _)): one != other
            default: false
            }
        }
    }

    private static let orders: [[ReplicaID]] = [
        [.a, .b, .c], [.a, .c, .b], [.b, .a, .c], [.b, .c, .a], [.c, .a, .b], [.c, .b, .a],
    ]

    @Test(
        "come to the same in whatever order they return, but where the table says that a press is overtaken")
    func orders() throws {
        var compared = 0
        for seed in UInt64(1)...400 {
            let outage = try Outage(seed: seed)
            guard outage.pending.count > 1, !outage.hasContradiction else { continue }
            compared += 1
            var outcomes: [NaiveState] = []
            for order in ReturningOrderTests.orders {
                outcomes.append(try outage.outcome(order, at: minutes(210)))
            }
            #expect(outcomes.allSatisfy { $0 == outcomes[0] }, "seed \(seed): \(outage.pending)")
        }
        #expect(compared > 100)
    }
}
