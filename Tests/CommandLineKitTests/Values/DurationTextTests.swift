import CommandLineKit
import Testing

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "hours, minutes and seconds, and minutes alone",
        arguments: [
            ("25", 1500), ("25m", 1500), ("90s", 90), ("1h30m", 5400), ("1h1s", 3601), ("0", 0), ("0s", 0),
            ("008m", 480), ("90m", 5400), ("1h2m3s", 3723), ("8784h", 31_622_400),
        ])
    func read(text: String, seconds: Int64) {
        #expect(DurationText.duration(in: text) == .seconds(seconds))
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "m", "5x", "1h30", "30m1h", "1m1m", "1.5h", "-5m", "+5m", " 5m", "5 m", "5M", "٥m", "1d",
            "8785h",
            "99999999999999999999", "9223372036854775807", "9223372036854775807h", "--5m", "5-m",
        ])
    func refuse(text: String) {
        #expect(DurationText.duration(in: text) == nil)
    }

    @Test("a sign is read where one is allowed, and only one")
    func signed() {
        #expect(DurationText.signedDuration(in: "-5m") == .seconds(-300))
        #expect(DurationText.signedDuration(in: "+90s") == .seconds(90))
        #expect(DurationText.signedDuration(in: "5") == .seconds(300))
        #expect(DurationText.signedDuration(in: "--5m") == nil)
        #expect(DurationText.signedDuration(in: "-") == nil)
    }

    @Test(
        "what is written reads back the same",
        arguments: [0, 1, 59, 60, 90, 3599, 3600, 5400, 3723, 31_622_400])
    func roundTrip(seconds: Int64) {
        #expect(DurationText.signedDuration(in: DurationText.text(.seconds(seconds))) == .seconds(seconds))
        #expect(DurationText.signedDuration(in: DurationText.text(.seconds(-seconds))) == .seconds(-seconds))
    }

    @Test("the shortest form is written")
    func form() {
        #expect(DurationText.text(.seconds(5400)) == "1h30m")
        #expect(DurationText.text(.seconds(-90)) == "-1m30s")
        #expect(DurationText.text(.zero) == "0s")
    }
}
