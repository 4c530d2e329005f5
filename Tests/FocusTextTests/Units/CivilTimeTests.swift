import FocusCore
import FocusText
import Foundation
import TestSupport
import Testing

@Suite("Local times")
struct CivilTimeTests {
    @Test("a time is written as it is read, in both forms")
    func forms() throws {
        let time = try #require(CivilTime(extended: "2025-11-20 18:05:09"))
        #expect(time.extended == "2025-11-20T18:05:09")
        #expect(time.basic == "20251120T180509")
        #expect(time.clock == "18:05:09")
        #expect(CivilTime(basic: time.basic) == time)
        #expect(CivilTime(utc: time.utc) == time)
        #expect(CivilTime(extended: "2025-11-20T18:05")?.clock == "18:05:00")
        #expect(CivilTime(extended: "2025-11-20T18:05:09.25")?.sinceMidnight == 65_109_250)
        #expect(CivilTime(extended: "2025-12-31T24:00")?.extended == "2026-01-01T00:00:00")
        #expect(CivilTime(basic: "20161231T235960")?.clock == "23:59:59")
        #expect(CivilTime(utc: -1).extended == "1969-12-31T23:59:59")
    }

    @Test(
        "what no calendar or clock shows is none",
        arguments: [
            "", "2025-11-20", "2025-02-29T18:00", "2025-11-20T24:00:01", "2025-11-20T24:01",
            "2025-11-20T18:60",
            "2025-11-20T18:00:60",
            "2025-11-20T18:00Z", "2025-11-20T18:00:", "2025-11-20T18:00:00.", "2025-11-20T18",
            "20251120T180000",
        ])
    func none(text: String) { #expect(CivilTime(extended: text) == nil) }

    private func zone(_ name: String) -> LocalZone {
        let zone = TimeZone(identifier: name)
        return LocalZone { instant in
            .seconds(zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds))) ?? 0)
        }
    }

    @Test(
        "every instant is read back from what the clocks of a place show then",
        arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns"])
    func readBack(name: String) {
        let zone = zone(name)
        // Two years, in steps of 52.5 minutes, so that every half hour of the day is reached.
        for step in 0..<20_000 {
            let instant: SharedInstant = 1_735_689_600_000 + .seconds(step * 3_150)
            #expect(zone.reading(of: zone.time(at: instant)).instants.contains(instant))
        }
    }

    @Test("clocks that are set back show an hour twice, and set forward leave one out")
    func changes() throws {
        let berlin = zone("Europe/Berlin")
        let autumn = try #require(InstantText.parse("2025-10-26T00:30:00Z"))
        let twice = try #require(CivilTime(extended: "2025-10-26T02:30"))
        #expect(berlin.reading(of: twice) == .twice(autumn, autumn + 3_600_000))
        let spring = try #require(InstantText.parse("2025-03-30T01:30:00Z"))
        let never = try #require(CivilTime(extended: "2025-03-30T02:30"))
        #expect(berlin.reading(of: never) == .never(spring))
        #expect(berlin.reading(of: never).instants == [])
        let plain = try #require(CivilTime(extended: "2025-11-20T18:00"))
        #expect(berlin.reading(of: plain) == .once(try #require(InstantText.parse("2025-11-20T17:00:00Z"))))
    }

    @Test("an instant is written with the offset of the place")
    func text() {
        #expect(zone("America/New_York").text(1_464_987_691_000) == "2016-06-03T17:01:31-04:00")
        #expect(zone("Asia/Kathmandu").text(0) == "1970-01-01T05:30:00+05:30")
        #expect(LocalZone.utc.text(999) == "1970-01-01T00:00:00+00:00")
        let local = LocalZone { _ in .seconds(-44 * 60 - 30) }.text(1_764_000_000_000)
        #expect(local.hasSuffix("-00:45"))
        #expect(InstantText.parse(local) == 1_764_000_000_000)
    }
}
