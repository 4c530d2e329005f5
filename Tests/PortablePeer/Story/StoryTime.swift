import FocusCore
import FocusDevice
import FocusSeal

/// Random numbers that are the same each time.
final class StoryRandom {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }

    func bytes(_ count: Int) -> SecretBytes {
        SecretBytes((0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) })
    }
}

/// The time of a device, which only `advance` moves.
final class StoryTime: Scheduler {
    /// The time at which all devices and the server begin: 2025-11-20T18:00:00Z.
    static let start = SharedInstant(milliseconds: 1_763_661_600_000)

    private final class Call: Alarm {
        let instant: SteadyInstant
        private(set) var body: (() -> Void)?

        init(_ instant: SteadyInstant, _ body: @escaping () -> Void) {
            self.instant = instant
            self.body = body
        }

        func cancel() { body = nil }
    }

    private(set) var passed = Duration.zero
    private var calls: [Call] = []

    func now() -> SteadyInstant { .zero + passed }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let call = Call(now() + delay, body)
        calls.append(call)
        return call
    }

    func advance(by time: Duration) {
        passed += time
        let due = calls.filter { $0.instant <= now() }
        calls.removeAll { $0.instant <= now() }
        for call in due { call.body?() }
    }
}
