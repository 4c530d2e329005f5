import FocusCore
import TestSupport
import Testing

@testable import FocusServerCore

/// Tests of the order in which one thread serves many waiting groups and connections.
@Suite struct TurnQueueTests {
    private func group(_ number: UInt64) -> GroupID { GroupID(high: number, low: 0) }

    /// Serves everything that waits, and returns the names in the order served. Each request costs its own
    /// `work`.
    private func serve(_ queue: inout TurnQueue<(String, work: Int)>) -> [String] {
        var served: [String] = []
        while let (name, work) = queue.next() {
            served.append(name)
            queue.spent(work)
        }
        return served
    }

    @Test("connections of one group take turns, and each keeps its order") func connections() {
        var queue = TurnQueue<(String, work: Int)>(turn: 100)
        for number in 1...3 { queue.append(("a\(number)", work: 1), of: group(1), from: 1) }
        queue.append(("b1", work: 1), of: group(1), from: 2)
        #expect(serve(&queue) == ["a1", "b1", "a2", "a3"])
    }

    @Test("a group that always waits keeps no state of connections without requests")
    func kept() {
        var queue = TurnQueue<(String, work: Int)>(turn: 1)
        queue.append(("first", work: 1), of: group(1), from: 0)
        for connection in ConnectionID(1)...1_000 {
            queue.append(("next", work: 1), of: group(1), from: connection)
            _ = queue.next()
            queue.spent(1)
        }
        let (groups, connections) = (queue.groupCount, queue.lanes[group(1)]?.requests.count)
        #expect(groups == 1 && connections == 1)
    }

    @Test("a group whose turn is ended moves behind the waiting groups, and loses no request")
    func ended() {
        var queue = TurnQueue<(String, work: Int)>(turn: 10)
        for number in 1...3 { queue.append(("m\(number)", work: 1), of: group(1), from: 1) }
        for number in 1...2 { queue.append(("h\(number)", work: 1), of: group(2), from: 2) }
        queue.endTurn()
        #expect(queue.group == group(2))
        #expect(serve(&queue) == ["h1", "h2", "m1", "m2", "m3"])
        queue.endTurn()
        #expect(queue.isEmpty && queue.group == nil)
    }

    @Test("a group that worked while no other waited owes nothing to a later one") func alone() {
        var queue = TurnQueue<(String, work: Int)>(turn: 2)
        for number in 1...9 { queue.append(("m\(number)", work: 2), of: group(1), from: 1) }
        for _ in 1...5 {
            _ = queue.next()
            let isStillItsTurn = queue.spent(2)
            #expect(isStillItsTurn)
        }
        for number in 1...2 { queue.append(("h\(number)", work: 2), of: group(2), from: 2) }
        #expect(serve(&queue) == ["m6", "h1", "m7", "h2", "m8", "m9"])
    }

    @Test("every request is served once, and waiting groups get equal work")
    func fairness() {
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            var queue = TurnQueue<(Int, Int, work: Int)>(turn: 64)
            var served: [Int: [Int]] = [:]
            var work: [Int: Int] = [:]
            var left: [Int: Int] = [:]
            for number in 0..<2_000 {
                let who = number < 1_500 ? 1 : Int.random(in: 2...4, using: &random)
                queue.append(
                    (who, number, work: Int.random(in: 0...200, using: &random)), of: group(UInt64(who)),
                    from: UInt64(who))
                left[who, default: 0] += 1
            }
            while let (who, number, cost) = queue.next() {
                served[who, default: []].append(number)
                left[who, default: 0] -= 1
                queue.spent(cost)
                if left.allSatisfy({ $0.value > 0 }) { work[who, default: 0] += max(1, cost) }
            }
            #expect(queue.isEmpty && queue.groupCount == 0, "seed \(seed)")
            #expect(served.values.reduce(0) { $0 + $1.count } == 2_000, "seed \(seed)")
            #expect(served.values.allSatisfy { $0 == $0.sorted() }, "seed \(seed)")
            #expect(
                (work.values.max() ?? 0) - (work.values.min() ?? 0) <= 64 + 2 * 200, "seed \(seed): \(work)")
        }
    }
}
