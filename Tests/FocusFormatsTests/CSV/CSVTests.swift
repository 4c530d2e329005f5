import FocusCore
import FocusFormats
import FocusText
import Testing

@Suite("Lockstep's table")
struct CSVTests {
    private let header = "id,activity,started,ended,seconds,outcome,label\r\n"

    @Test("it has a header, a row an entry, and quotes where they are needed")
    func written() {
        var entry = HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00.250Z", "say \"so\", then")
        entry.source = "1.0@000000000000000a/0/0"
        #expect(
            FocusFormatsTests.written([entry], .csv) == header
                + "lockstep:1.0@000000000000000a/0/0,work,2025-11-20T18:00:00.000Z,2025-11-20T18:25:00.250Z,"
                + "1500.250,completed,\"say \"\"so\"\", then\"\r\n")
    }

    @Test("times may have an offset, or none and be local; activity, outcome and label may be missing")
    func byHand() throws {
        let text = "Ended , STARTED,note\n2025-11-20T18:25:30+01:00,2025-11-20 18:00,x\n"
        #expect(
            try entries(text, .csv, zone: clocks(of: "Europe/Berlin"))
                == [.work("2025-11-20T17:00:00Z", "2025-11-20T17:25:30Z")])
    }

    @Test("quotes may hold commas, quotes and lines; what parts lines in a label is a space")
    func quotes() throws {
        let text =
            "started,ended,label\r\n2025-11-20T18:00:00Z,2025-11-20T18:25:00Z,\"a \"\"b\"\",\r\nc\td\"\r\n"
            + "2025-11-20T19:00:00Z,2025-11-20T19:25:00Z, plain \n"
        let found = try read(text, .csv)
        #expect(found.map(\.line) == [2, 4])
        #expect(try entries(text, .csv).map(\.label) == ["a \"b\",  c d", "plain"])
    }

    @Test("lines end with a line feed, a carriage return, or both", arguments: ["\n", "\r", "\r\n", "\n\n"])
    func lineEnds(end: String) throws {
        let rows = [
            "started,ended", "2025-11-20T18:00:00Z,2025-11-20T18:25:00Z", ",", "x,2025-11-20T18:25:00Z",
        ]
        let line = end == "\n\n" ? 7 : 4
        #expect(
            problem(rows.joined(separator: end), .csv)
                == "line \(line): started is 'x', and not a time as in 2025-11-20T18:00:00Z")
    }

    @Test("an id of Lockstep's is the entry's source, and another's is passed over")
    func ids() throws {
        let text =
            "id,started,ended\nlockstep:a/b,2025-11-20T18:00:00Z,2025-11-20T18:25:00Z\n"
            + "17,2025-11-20T18:00:00Z,2025-11-20T18:25:00Z\nlockstep:,2025-11-20T18:00:00Z,2025-11-20T18:25:00Z\n"
        #expect(try entries(text, .csv).map(\.source) == ["a/b", nil, nil])
    }

    @Test("what can't be an entry is left out, and said where")
    func leftOut() throws {
        let text =
            "started,ended\n2025-11-20T18:00:00Z,2025-11-20T18:00:00Z\n"
            + "2025-11-20T18:00:00Z,2025-11-21T18:00:00.001Z\n1969-12-31T23:59:59Z,1970-01-01T00:10:00Z\n"
            + "2025-11-20T18:00:00Z,2025-11-21T18:00:00Z\n"
        #expect(try omissions(text, .csv) == ["noLength 2", "tooLong 3", "before1970 4"])
        #expect(try entries(text, .csv).count == 1)
    }

    @Test(
        "what is wrong is named by its line",
        arguments: [
            ("started,end\n", "line 1: the column 'ended' is missing"),
            ("started,ended,Started\n", "line 1: two columns are called 'started'"),
            ("started,ended\n,2025-11-20T18:25:00Z\n", "line 2: 'started' is missing"),
            ("started,ended\n2025-11-20T18:25:00Z\n", "line 2: 'ended' is missing"),
            (
                "started,ended\n2025-02-29T18:00:00Z,2025-11-20T18:25:00Z\n",
                "line 2: started is '2025-02-29T18:00:00Z', and not a time as in 2025-11-20T18:00:00Z"
            ),
            (
                "started,ended\n1763661600000,1763663100000\n",
                "line 2: started is '1763661600000', and not a time as in 2025-11-20T18:00:00Z"
            ),
            (
                "started,ended,activity\n2025-11-20T18:00:00Z,2025-11-20T18:25:00Z,nap\n",
                "line 2: activity is 'nap', and none of work, shortBreak, longBreak"
            ),
            (
                "started,ended,outcome\n2025-11-20T18:00:00Z,2025-11-20T18:25:00Z,done\n",
                "line 2: outcome is 'done', and none of completed, skipped, stopped"
            ),
            (
                "started,ended\n2025-10-26 02:30,2025-10-26 03:30\n",
                "line 2: started is '2025-10-26 02:30', which comes twice in this time zone: "
                    + "say which by its offset, as in +01:00"
            ),
        ])
    func problems(text: String, expected: String) {
        #expect(problem(text, .csv, zone: clocks(of: "Europe/Berlin")) == expected)
    }

    @Test("a row of very many fields can't be read, and the next one can")
    func wide() throws {
        let text =
            "started,ended\n" + String(repeating: ",", count: 100_000)
            + "\n2025-11-20 18:00,2025-11-20 18:25\n"
        #expect(problem(text, .csv) == "line 2: it has more than 256 fields")
        #expect(try entries(text, .csv).count == 1)
    }

    @Test(
        "where a quote isn't closed, only its line is lost, and the others are read again in time that grows with the file"
    )
    func unclosed() throws {
        let row = "2025-11-20 18:00,2025-11-20 18:25,x\n"
        for open in ["\"a\r\n", "\"\n", "a,\"b\n", "\"\"\"\n"] {
            let text = "started,ended,label\n" + open + String(repeating: row, count: 3_000) + open + row
            #expect(try entries(text, .csv).count == 3_001, "\(open)")
            let lines = try unreadable(text, .csv).map { $0.prefix { $0 != ":" } }
            #expect(lines == ["line 2", "line 3003"], "\(open)")
        }
        let open = "started,ended,label\n" + String(repeating: "\"a\n\"\"\n", count: 40_000)
        #expect(try entries(open, .csv).isEmpty)
    }

    @Test("with every label disarmed, a spreadsheet sees no formula, and what is read is as it was")
    func disarmed() throws {
        let labels = [
            "=1+1", "+tag", "-5", "@home", "\u{FF1D}1", "'=1", "''x", "a;=1", "a; @b;c", " ;+", "plain",
            "a=b", "'", "", "a,=1",
        ]
        let history = labels.map {
            HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", Text.cleaned($0))
        }
        var writer = HistoryWriter(.csv, WritingContext(zone: .utc, isDisarmed: true), count: history.count)
        var text = ""
        writer.write(history) { text += $0 }
        #expect(try entries(text, .csv) == history)
        #expect(writer.formulas == 9)
        for row in text.split(separator: "\r\n").dropFirst() {
            let label = row.split(separator: ",", omittingEmptySubsequences: false).dropFirst(6).joined(
                separator: ",")
            for cell in label.split(separator: ";") {
                let first = cell.drop { $0 == "\"" || $0 == " " }.first
                #expect(first.map { !"=+-@\u{FF1D}".contains($0) } ?? true, "\(row)")
            }
        }
    }
}
