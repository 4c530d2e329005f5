import FocusCore
import FocusFormats
import FocusText
import TestSupport
import Testing

@Suite("Calendars")
struct CalendarTests {
    private func calendar(_ lines: String...) -> String {
        (["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR"]).map { "\($0)\r\n" }.joined()
    }

    private func event(_ lines: String...) -> String {
        (["BEGIN:VEVENT"] + lines + ["END:VEVENT"]).joined(separator: "\r\n")
    }

    @Test("an event says what and when, in UTC, with a name that stays")
    func written() {
        var work = HistoryEntry.work("2025-11-20T18:00:00.900Z", "2025-11-20T18:25:00Z", "a;b,c\\d")
        work.source = "1763661600000.0@9f2c6a1b00d4e7aa/0/0"
        var pause = HistoryEntry.work("2025-11-20T18:25:00Z", "2025-11-20T18:30:00Z", "a")
        pause.activity = .shortBreak
        pause.outcome = .skipped
        pause.source = "ics/one@example.org"
        #expect(
            FocusFormatsTests.written([work, pause], .ics)
                == [
                    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//focus//EN", "CALSCALE:GREGORIAN",
                    "NAME:Lockstep", "X-WR-CALNAME:Lockstep",
                    "BEGIN:VEVENT", "UID:lockstep:1763661600000.0@9f2c6a1b00d4e7aa/0/0",
                    "DTSTAMP:20251120T182500Z",
                    "DTSTART:20251120T180000Z", "DTEND:20251120T182500Z", "SUMMARY:a\\;b\\,c\\\\d",
                    "CATEGORIES:Work", "X-LOCKSTEP-ACTIVITY:work", "X-LOCKSTEP-OUTCOME:completed",
                    "END:VEVENT",
                    "BEGIN:VEVENT", "UID:one@example.org", "DTSTAMP:20251120T183000Z",
                    "DTSTART:20251120T182500Z",
                    "DTEND:20251120T183000Z", "SUMMARY:Short break", "CATEGORIES:Short break",
                    "X-LOCKSTEP-ACTIVITY:shortBreak", "X-LOCKSTEP-OUTCOME:skipped", "X-LOCKSTEP-LABEL:a",
                    "END:VEVENT", "END:VCALENDAR",
                ].map { "\($0)\r\n" }.joined())
    }

    @Test("a calendar without events has a time zone, because it must have a component")
    func empty() throws {
        let text = FocusFormatsTests.written([], .ics)
        #expect(text.split(separator: "\r\n").count { $0.hasPrefix("BEGIN:") } == 3)
        #expect(text.contains("\r\nBEGIN:VTIMEZONE\r\nTZID:UTC\r\n"))
        #expect(text.hasSuffix("\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n"))
        #expect(try entries(text, .ics).isEmpty)
    }

    @Test("no line has more than 75 bytes, and no character is cut")
    func folding() throws {
        for width in 0..<8 {
            let label = String(repeating: "x", count: width) + String(repeating: "\u{1F345}\u{E9}", count: 60)
            let text = FocusFormatsTests.written(
                [.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", Text.cleaned(label))], .ics)
            for line in text.utf8.split(separator: 0x0A) {
                // The line includes its CR.
                #expect(line.count <= 75 + 1)
                #expect(line.last == 0x0D)
                #expect(String(validating: line, as: UTF8.self) != nil)
            }
            #expect(try entries(text, .ics).map(\.label) == [Text.cleaned(label)])
        }
    }

    @Test("other programs' events are read: folded anywhere, in any case, with parameters and alarms")
    func foreign() throws {
        let text = calendar(
            "PRODID:x",
            event(
                "uid:one@example.org", "DTSTART;VALUE=DATE-TIME:20251120T180000Z", "duration:PT1H30M",
                "SUMMARY;LANGUAGE=en;X=\"a:b;c\":Caf\u{E9}\\, \\nquiet\\; \\\\ ",
                "BEGIN:VALARM", "TRIGGER:-PT5M", "DURATION:PT9H", "SUMMARY:alarm", "END:VALARM",
                "DESCRIPTION:long", " er: and ; so", "\ton"))
        for piece in [Int.max, 1, 5] {
            let found = try entries(text, .ics, piece: piece)
            #expect(found.map(\.label) == ["Caf\u{E9},  quiet; \\"])
            #expect(found.map(\.source) == ["ics/one@example.org"])
            #expect(found.map(\.interval.length) == [5_400_000])
            #expect(found.map(\.outcome) == [.stopped])
        }
    }

    @Test("a fold that cuts a character is put together again")
    func cutCharacter() throws {
        let start = Array(calendar(event("DTSTART:20251120T180000Z", "DURATION:PT25M", "SUMMARY:X")).utf8)
        let cut = start.flatMap { $0 == UInt8(ascii: "X") ? [0xC3, 0x0D, 0x0A, 0x20, 0xA9] : [$0] }
        let found = try read(cut, .ics)
        guard case .entry(let entry)? = found.first?.content else {
            Issue.record("no entry")
            return
        }
        #expect(entry.label == "\u{E9}")
    }

    @Test("times without a zone are by the reader's clocks")
    func floating() throws {
        let text = calendar(event("DTSTART:20251026T023000", "DTEND:20251026T033000"))
        #expect(
            try entries(text, .ics, zone: clocks(of: "Europe/Berlin")).map(\.interval)
                == [Interval(from: instant("2025-10-26T00:30:00Z"), to: instant("2025-10-26T02:30:00Z"))])
        let gap = calendar(event("DTSTART:20250330T023000", "DTEND:20250330T033000"))
        #expect(
            try entries(gap, .ics, zone: clocks(of: "Europe/Berlin")).map(\.interval) == []
                && omissions(gap, .ics, zone: clocks(of: "Europe/Berlin")) == ["noLength 2"])
    }

    @Test("moments, events of over a day and those that come on listed days are left out")
    func leftOut() throws {
        let text = calendar(
            event("DTSTART:20251120T180000Z"),
            event("DTSTART:20251120T180000Z", "DURATION:P1DT1S"),
            event("DTSTART:20251120T180000Z", "DTEND:20251120T190000Z", "RDATE:20251121T180000Z"))
        #expect(try omissions(text, .ics) == ["noLength 2", "tooLong 5", "recurring 9"])
    }

    @Test(
        "what is wrong is named by its line",
        arguments: [
            ("VERSION:2.0\r\n", "line 1: a calendar begins with BEGIN:VCALENDAR"),
            ("BEGIN:VEVENT\r\n", "line 1: a calendar begins with BEGIN:VCALENDAR"),
            ("BEGIN:VCALENDAR\nEND:VEVENT\n", "line 2: VEVENT ends, which is not what began last"),
            ("BEGIN:VCALENDAR\nA;B:c\n", "line 2: a parameter is not NAME=VALUE"),
            ("BEGIN:VCALENDAR\nA;B=\"c:d\n", "line 2: a quote that opens is never closed"),
            ("BEGIN:VCALENDAR\nEND:VCALENDAR\nX:y\n", "line 3: a calendar begins with BEGIN:VCALENDAR"),
            ("BEGIN:VCALENDAR\nBEGIN:X\nEND:VCALENDAR\n", "line 2: the X that begins here never ends"),
        ])
    func problems(text: String, expected: String) { #expect(problem(text, .ics) == expected) }

    @Test(
        "what is wrong with an event is named by its line",
        arguments: [
            ("DTSTART:20251120\nDTSTART:20251120", "line 4: the event has a second DTSTART"),
            ("DURATION:25", "line 3: DURATION is '25', and not a length as in PT25M"),
            ("DTSTART:20251120T180000Z\nDURATION:-PT5M", "line 2: it ends before it begins"),
            ("X-LOCKSTEP-OUTCOME:done", "line 3: X-LOCKSTEP-OUTCOME is 'done', which nobody knows"),
        ])
    func badEvents(lines: String, expected: String) throws {
        let text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(lines)\nEND:VEVENT\n"
        let other = "BEGIN:VEVENT\nDTSTART:20251120T180000Z\nDURATION:PT5M\nEND:VEVENT\nEND:VCALENDAR\n"
        #expect(try unreadable(text + other, .ics) == [expected])
        #expect(try entries(text + other, .ics).count == 1)
    }

    @Test("a version's number is in the source, and comes back with the event's name")
    func versions() throws {
        let text = calendar(
            event("UID:one", "DTSTART:20251120T180000Z", "DURATION:PT25M", "SEQUENCE:3"),
            event("UID:two;sequence=5", "DTSTART:20251120T180000Z", "DURATION:PT25M"))
        let found = try entries(text, .ics)
        #expect(found.first?.source == "ics/one;sequence=3")
        #expect(found.last?.source?.hasPrefix("ics/#") == true)
        let again = FocusFormatsTests.written(found, .ics)
        #expect(again.contains("UID:one\r\nSEQUENCE:3\r\n"))
        #expect(try entries(again, .ics).map(\.source) == found.map(\.source))
    }

    @Test("components that are nested without end are refused")
    func deep() {
        let text = "BEGIN:VCALENDAR\n" + String(repeating: "BEGIN:X\n", count: 100_000)
        #expect(problem(text, .ics) == "line 17: components are nested too deep")
    }

    @Test("a name that is too long for a source is cut to one of its own, and a blank one is none")
    func longName() throws {
        func source(_ name: String) throws -> String? {
            try entries(
                calendar(event("UID:\(name)", "DTSTART:20251120T180000Z", "DURATION:PT25M")), .ics
            ).first?.source
        }
        let long = String(repeating: "a", count: 300)
        let first = try #require(try source(long + "b"))
        let second = try #require(try source(long + "c"))
        #expect(first.hasPrefix("ics/#"))
        #expect(first != second)
        #expect(Text.cleaned(first) == first)
        #expect(try source("lockstep:toggl/1-2/3") == "toggl/1-2/3")
        #expect(try source(" ") == nil, "entries without a name of their own are told apart by their times")
    }
}
