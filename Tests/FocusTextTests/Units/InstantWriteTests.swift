import FocusCore
import FocusText
import TestSupport
import Testing

@Suite struct InstantWriteTests {
    @Test(
        "an instant is written in UTC, to the millisecond",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_763_661_600_250, "2025-11-20T18:00:00.250Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(SharedInstant, String)])
    func written(_ instant: SharedInstant, _ text: String) {
        #expect(InstantText.text(instant) == text)
    }

    @Test("every instant can be written", arguments: [Int64.min, .min + 86_400_000, .max])
    func extremes(milliseconds: Int64) {
        #expect(InstantText.text(SharedInstant(milliseconds: milliseconds)).hasSuffix("Z"))
    }

    @Test("what is written is read back") func roundTrip() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<1000 {
            let instant = SharedInstant(
                milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator))
            #expect(InstantText.parse(InstantText.text(instant)) == instant)
        }
    }
}
