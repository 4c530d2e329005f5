import ClientSupport
import FocusCore
import FocusDevice
import FocusText
import Foundation
import TestSupport
import Testing

@Suite("The time zone of who reads")
struct ZoneTests {
    @Test(
        "a name of a zone is one",
        arguments: ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
    func name(text: String) { #expect(Zone.isName(text)) }

    @Test(
        "what could lead to another file is no name",
        arguments: [
            "", "/", "/etc/passwd", "../passwd", "Europe/../../passwd", "Europe//Berlin", "Europe/", ".",
            "A/./B", "A\0",
            "Zürich", "A B", "posixrules\n", String(repeating: "A", count: 65),
        ])
    func noName(text: String) {
        #expect(!Zone.isName(text))
        #expect(Zone(named: text) == nil)
    }

    @Test("a name that no zone has, a folder's and that of no zone's file give none")
    func unknown() {
        for name in ["Nowhere/Here", "Europe", "tzdata", "zone"] { #expect(Zone(named: name) == nil) }
    }

    @Test(
        "a zone's days are those that the system has for it",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin")))
    func days() throws {
        BerlinTime.set()
        let zone = try #require(Zone(named: "Europe/Berlin"))
        let (here, there) = (LocalCalendar.current, zone.calendar)
        // The days on which the clocks change, and every 29th day.
        let days = (Int64(11_323)..<30_000).filter {
            $0 % 29 == 0 || here.span(of: Day(number: $0)).length != 86_400_000
        }
        let others = days.map(Day.init(number:)).filter { here.span(of: $0) != there.span(of: $0) }
        #expect(others == [])
        #expect(zone.name(at: 1_763_661_600_000).text == "CET (UTC+1)")
        #expect(zone.name(at: 1_780_000_000_000).text == "CEST (UTC+2)")
        #expect(zone.name(at: 4_087_000_000_000).text == "CEST (UTC+2)", "in 2099")
    }
}
