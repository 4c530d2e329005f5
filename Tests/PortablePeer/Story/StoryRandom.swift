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
