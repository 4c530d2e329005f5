import CommandLineKit
import FocusClient
import FocusCore
import FocusScreen
import FocusText
import TestSupport
import Testing

@Suite("Showing the state")
struct StatusTests {
    private static let replica = ReplicaID(rawValue: 1)

    private func run() throws -> RunID {
        RunID(stamp: try #require(Stamp(time: 60_000, counter: 0)), replica: StatusTests.replica)
    }

    /// Returns the view at `now` of these actions. The first is at the instant 60,000, each other one a
    /// minute later.
    private func view(
        _ actions: Action..., at now: SharedInstant, by clocks: LocalZone = .utc
    ) throws -> StatusView {
        let events = try actions.enumerated().map { index, action in
            let stamp = try #require(Stamp(time: minutes(Int64(index + 1)), counter: 0))
            return Event(replica: StatusTests.replica, seq: UInt64(index) + 1, stamp: stamp, action: action)
        }
        return StatusView(try EventLog(events).replayed().0, at: now, by: clocks)
    }

    @Test("a line shows the phase, the time left, its end and the label")
    func lines() throws {
        let start = Action.start(Action.Start(label: "Write"))
        #expect(try view(at: 0).line(.plain) == "Work  25:00  (stopped)")
        #expect(try view(start, at: 120_000).line(.plain) == "Work  24:00  until 00:26  Write")
        #expect(
            try view(start, .pause(try run(), at: nil), at: 500_000).line(.plain)
                == "Work paused  24:00  would end 00:32  Write")
        #expect(
            try view(start, .set(key: "autoStartBreaks", value: 0), at: 1_560_000).line(.plain)
                == "Break  05:00  would end 00:31  Write  (waits to be started)")
    }

    @Test("the end is by the local clock, and has its day if it is more than 12 hours ahead")
    func end() throws {
        let start = Action.start(Action.Start(label: nil))
        let kolkata = LocalZone { _ in .seconds(19_800) }
        #expect(try view(start, at: 120_000, by: kolkata).line(.plain) == "Work  24:00  until 05:56")
        // The second minute of Thursday, 1 January 1970.
        let day = [Action.set(key: "workLength", value: 86_400), start]
        #expect(try view(day[0], day[1], at: 120_000).line(.plain) == "Work  24:00:00  until Fri 00:02")
        let noon: SharedInstant = minutes(12 * 60 + 2)
        #expect(try view(day[0], day[1], at: noon - .milliseconds(1)).line(.plain).hasSuffix(" Fri 00:02"))
        #expect(try view(day[0], day[1], at: noon).line(.plain) == "Work  12:00:00  until 00:02")
        #expect(try StatusTemplate("{ends}").text(view(day[0], day[1], at: 120_000)) == "00:02")
    }

    @Test("a session that ended by itself is told by the view's clocks")
    func endedByItself() throws {
        let set = Action.set(key: "idleLimit", value: 3600)
        let start = Action.start(Action.Start(label: nil))
        let kolkata = LocalZone { _ in .seconds(19_800) }
        #expect(
            try view(set, start, at: minutes(70), by: kolkata).line(.plain)
                == "Work  25:00  (stopped by itself at 06:32, untouched since 05:32)")
    }

    @Test(
        "a line says by how much the phase was lengthened or shortened",
        arguments: [
            (300, "29:00 +5m", "00:31"), (-120, "22:00 -2m", "00:24"), (-90, "22:30 -1m30s", "00:24"),
            (3600, "84:00 +1h", "01:26"), (0, "24:00", "00:26"),
        ] as [(Int64, String, String)])
    func added(seconds: Int64, clock: String, end: String) throws {
        let view = try view(
            .start(Action.Start(label: "Write")),
            .adjust(try run(), ordinal: 0, seconds: seconds, at: nil), at: 120_000)
        #expect(view.line(.plain) == "Work  \(clock)  until \(end)  Write")
        #expect(try StatusTemplate("{clock} {added}").text(view).hasPrefix(clock))
    }

    @Test("an added or removed time of less than a second isn't shown")
    func addedFraction() throws {
        let start = Action.start(Action.Start(label: nil))
        let less = Action.adjust(try run(), ordinal: 0, seconds: -86_400, at: nil)
        // The pause takes effect 300 ms before the phase's end.
        let pause = Action.pause(try run(), at: 1_559_700)
        let events = [(60_000, start), (1_559_800, pause), (1_559_900, less)].enumerated().compactMap {
            index, press in
            Stamp(time: press.0, counter: 0).map {
                Event(replica: StatusTests.replica, seq: UInt64(index) + 1, stamp: $0, action: press.1)
            }
        }
        let view = StatusView(try EventLog(events).replayed().0, at: 1_559_900, by: .utc)
        #expect(view.line(.plain) == "Work paused  00:00  would end 00:25")
        #expect(try StatusTemplate("[{added}]").text(view) == "[]")
    }

    @Test("colour is the theme's, and the words stay the same")
    func colour() throws {
        let line = try view(at: 0).line(.exact)
        #expect(line == "\u{1B}[38;2;222;42;84mWork\u{1B}[0m  25:00  (stopped)")
    }

    @Test("a format is filled in")
    func format() throws {
        let view = try view(.start(Action.Start(label: "{clock}")), at: 120_500)
        let format = try StatusTemplate(
            "{{{label}}} {clock} {seconds} {status} {state} {activity} {button} {ordinal} {cycles} {theme} {colour}"
        )
        #expect(
            format.text(view) == "{{clock}} 24:00 1440 Work running work Pause 0 0 work #E44F72")
        #expect(try StatusTemplate("").text(view) == "")
    }

    @Test("a format shows the end of a running or a paused phase, and nothing if stopped")
    func formattedEnd() throws {
        let format = try StatusTemplate("[{ends}]")
        let start = Action.start(Action.Start(label: nil))
        #expect(format.text(try view(start, at: 120_500)) == "[00:26]")
        #expect(format.text(try view(start, .pause(try run(), at: nil), at: 500_000)) == "[00:32]")
        #expect(format.text(try view(at: 0)) == "[]")
    }

    @Test("a format shows in words and colour whether the timer runs")
    func states() throws {
        let format = try StatusTemplate("{status} {colour}")
        let start = Action.start(Action.Start(label: nil))
        #expect(format.text(try view(start, at: 120_000)) == "Work #E44F72")
        #expect(
            format.text(try view(start, .pause(try run(), at: nil), at: 500_000)) == "Work paused #D9962B")
        #expect(
            format.text(try view(start, .set(key: "autoStartBreaks", value: 0), at: 1_560_000))
                == "Break waits #D9962B")
        #expect(format.text(try view(at: 0)) == "Stopped #8C8C8C")
    }

    @Test(
        "an invalid format says why",
        arguments: [
            ("{clok}", "has an unknown field '{clok}'. Did you mean 'clock'?"),
            ("{clock", "has a '{' without its '}'"),
            ("clock}", "has a '}' without its '{'; a brace itself is written '}}'"),
            ("{}", "has an unknown field '{}'."),
        ])
    func malformed(text: String, message: String) {
        #expect(throws: ValueProblem(message)) { try StatusTemplate(text) }
    }
}
