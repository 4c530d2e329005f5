import FocusCore
import FocusFormats
import FocusText
import TestSupport
import Testing

/// Compares time zones that calendars define with the system's.
@Suite("Time zones in calendars")
struct CalendarZoneTests {
    private static let berlin = """
        BEGIN:VTIMEZONE
        TZID:Place
        BEGIN:DAYLIGHT
        TZOFFSETFROM:+0100
        TZOFFSETTO:+0200
        TZNAME:CEST
        DTSTART:19810329T020000
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
        END:DAYLIGHT
        BEGIN:STANDARD
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        DTSTART:19961027T030000
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
        END:STANDARD
        END:VTIMEZONE
        """
    private static let newYork = """
        BEGIN:VTIMEZONE
        TZID:Place
        BEGIN:STANDARD
        DTSTART:20071104T020000
        RRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=SU
        TZOFFSETFROM:-0400
        TZOFFSETTO:-0500
        END:STANDARD
        BEGIN:DAYLIGHT
        DTSTART:20070311T020000
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;INTERVAL=1
        TZOFFSETFROM:-0500
        TZOFFSETTO:-0400
        END:DAYLIGHT
        END:VTIMEZONE
        """
    private static let kathmandu = """
        BEGIN:VTIMEZONE
        TZID:Place
        BEGIN:STANDARD
        TZOFFSETFROM:+0530
        TZOFFSETTO:+054500
        DTSTART:19860101T000000
        END:STANDARD
        END:VTIMEZONE
        """
    /// Every change listed by its date, as some programs do it.
    private static let listed = """
        BEGIN:VTIMEZONE
        TZID:Place
        BEGIN:STANDARD
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        DTSTART:20201025T030000
        RDATE:20211031T030000,20221030T030000
        RDATE:20231029T030000
        END:STANDARD
        BEGIN:DAYLIGHT
        TZOFFSETFROM:+0100
        TZOFFSETTO:+0200
        DTSTART:20210328T020000
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20230326T010000Z
        END:DAYLIGHT
        END:VTIMEZONE
        """

    /// A place that no longer changes its clocks: the last rules ended in 2019.
    private static let saoPaulo = """
        BEGIN:VTIMEZONE
        TZID:Place
        BEGIN:DAYLIGHT
        TZOFFSETFROM:-0300
        TZOFFSETTO:-0200
        DTSTART:20151018T000000
        RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=3SU;UNTIL=20171015T030000Z
        END:DAYLIGHT
        BEGIN:DAYLIGHT
        TZOFFSETFROM:-0300
        TZOFFSETTO:-0200
        DTSTART:20181104T000000
        END:DAYLIGHT
        BEGIN:STANDARD
        TZOFFSETFROM:-0200
        TZOFFSETTO:-0300
        DTSTART:20160221T000000
        RRULE:FREQ=YEARLY;BYMONTH=2;BYDAY=3SU;UNTIL=20190217T020000Z
        END:STANDARD
        END:VTIMEZONE
        """

    @Test(
        "local times are what the system's zones say, around every change of the clocks too",
        arguments: [
            (berlin, "Europe/Berlin", 1997, 2045), (newYork, "America/New_York", 2008, 2045),
            (kathmandu, "Asia/Kathmandu", 1987, 2045),
            (listed, "Europe/Berlin", 2021, 2023), (saoPaulo, "America/Sao_Paulo", 2017, 2045),
        ])
    func systemZones(definition: String, place: String, from: Int64, to: Int64) throws {
        let system = clocks(of: place)
        var random = SeededGenerator(seed: 5)
        var times: [CivilTime] = []
        for year in stride(from: from, through: to, by: 3) {
            // Every half hour from 01:00 to 03:30, on a random fifth of the days around the changes of
            // clocks.
            for (month, days) in [(3, 8...31), (4, 1...7), (10, 1...31), (11, 1...7)]
                as [(Int64, ClosedRange<Int64>)]
            {
                for day in days where Int64.random(in: 0..<5, using: &random) == 0 {
                    for half in 2..<8 {
                        let date = try #require(Day(year: year, month: month, day: day))
                        let minute: Int64 = half % 2 == 0 ? 0 : 30
                        times += [CivilTime(day: date, hour: Int64(half / 2), minute: minute)].compactMap {
                            $0
                        }
                    }
                }
            }
        }
        let events = times.map {
            "BEGIN:VEVENT\nDTSTART;TZID=Place:\($0.basic)\nDURATION:PT25M\nEND:VEVENT\n"
        }
        // The zone's definition may follow the events that use it.
        let text = "BEGIN:VCALENDAR\n\(events.joined())\(definition)\nEND:VCALENDAR\n"
        let found = try entries(text, .ics).map(\.interval.from)
        #expect(found.count == times.count)
        for (time, instant) in zip(times, found) {
            #expect(instant == system.reading(of: time).first, "\(place) \(time.extended)")
        }
    }

    @Test(
        "a rule that ended long ago says how the clocks have stood since",
        arguments: [2020, 2025, 2060, 2400])
    func endedRule(year: Int) throws {
        let event = "BEGIN:VEVENT\nDTSTART;TZID=Place:\(year)0710T100000\nDURATION:PT25M\nEND:VEVENT\n"
        let found = try entries("BEGIN:VCALENDAR\n\(Self.saoPaulo)\n\(event)END:VCALENDAR\n", .ics)
        #expect(found.map(\.interval.from) == [instant("\(year)-07-10T13:00:00Z")])
    }

    @Test("a change that comes every 28 years is found", arguments: [("2024", 12), ("2023", 11)])
    func rareRule(year: String, hour: Int) throws {
        // Februaries with five Sundays: 1976, 2004, 2032.
        let zone = """
            BEGIN:VTIMEZONE
            TZID:Place
            BEGIN:STANDARD
            TZOFFSETFROM:+0000
            TZOFFSETTO:-0100
            DTSTART:19760229T000000
            RRULE:FREQ=YEARLY;BYMONTH=2;BYDAY=5SU
            END:STANDARD
            BEGIN:DAYLIGHT
            TZOFFSETFROM:-0100
            TZOFFSETTO:-0200
            DTSTART:20231201T000000
            END:DAYLIGHT
            END:VTIMEZONE
            """
        let event = "BEGIN:VEVENT\nDTSTART;TZID=Place:\(year)0710T100000\nDURATION:PT25M\nEND:VEVENT\n"
        let found = try entries("BEGIN:VCALENDAR\n\(zone)\n\(event)END:VCALENDAR\n", .ics)
        #expect(found.map(\.interval.from) == [instant("\(year)-07-10T\(hour):00:00Z")])
    }

    @Test("what is wrong with a zone is named, where an event is in it")
    func problems() {
        func found(_ zone: String, used: Bool = true) -> String? {
            let event = "BEGIN:VEVENT\nDTSTART;TZID=Place:20251120T180000\nEND:VEVENT\n"
            return problem("BEGIN:VCALENDAR\n\(zone)\n\(used ? event : "")END:VCALENDAR\n", .ics)
        }
        let weekly = Self.berlin.replacing("FREQ=YEARLY;BYDAY", with: "FREQ=WEEKLY;BYDAY")
        #expect(
            found(weekly)
                == "line 18: in its time zone, line 15: a time zone has a rule that isn't read: "
                + "'FREQ=WEEKLY;BYDAY=-1SU;BYMONTH=10'")
        #expect(found(weekly, used: false) == nil)
        #expect(
            found(Self.kathmandu.replacing("TZOFFSETFROM:+0530\n", with: ""))?.hasSuffix(
                "line 4: a part of a time zone lacks DTSTART, TZOFFSETFROM or TZOFFSETTO") == true)
        #expect(
            found(Self.kathmandu.replacing("+0530", with: "0530"))?.hasSuffix(
                "line 5: TZOFFSETFROM is '0530', and not an offset as in +0100") == true)
    }

    @Test("many rules take time that grows with the file")
    func manyRules() throws {
        let rule = "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\n"
        let zone = Self.berlin.replacing(
            "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\n", with: String(repeating: rule, count: 15_000))
        let event = "BEGIN:VEVENT\nDTSTART;TZID=Place:20250710T100000\nDURATION:PT25M\nEND:VEVENT\n"
        let text = "BEGIN:VCALENDAR\n\(zone)\n\(String(repeating: event, count: 8000))END:VCALENDAR\n"
        let found = try entries(text, .ics)
        #expect(found.count == 8000)
        #expect(found.allSatisfy { $0.interval.from == instant("2025-07-10T08:00:00Z") })
        // A zone with more rules than any real file has can't be read.
        let endless = zone.replacing(rule, with: rule + rule)
        #expect(
            problem("BEGIN:VCALENDAR\n\(endless)\n\(event)END:VCALENDAR\n", .ics)?.hasSuffix("knows: Place")
                == true)
    }
}
