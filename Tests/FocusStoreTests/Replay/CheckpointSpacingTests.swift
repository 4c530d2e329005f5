import Testing

@testable import FocusStore

@Suite struct CheckpointSpacingTests {
    @Test("a checkpoint that a log drops is none that a longer log wants")
    func monotonous() {
        for count in stride(from: 0 as UInt64, through: 20_000, by: 64) {
            var kept = true
            for total in stride(from: count, through: count + 200_000, by: 4_000) {
                let keeps = CheckpointSpacing.keeps(count, of: total)
                #expect(kept || !keeps)
                kept = keeps
            }
        }
    }

    @Test(
        "from any event back to the checkpoint before it is at most an eighth of the way to the log's end, or 64"
    )
    func density() {
        let total: UInt64 = 100_000
        let kept = (0...total).filter { CheckpointSpacing.keeps($0, of: total) }
        #expect(kept.count < 160)
        for (count, next) in zip(kept, kept.dropFirst()) {
            #expect(next - count <= max(64, (total - count) / 8))
        }
    }
}
