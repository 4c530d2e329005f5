import FocusCore
import FocusFormats
import FocusText
import Testing

@Suite("The Open Pomodoro history")
struct OpenPomodoroTests {
    @Test("a line has the time with its offset, whole minutes and the description")
    func written() {
        let newYork = clocks(of: "America/New_York")
        let entry = HistoryEntry.work("2016-06-03T21:01:31.500Z", "2016-06-03T21:26:45Z", "Open \"Pomodoro\"")
        #expect(
            FocusFormatsTests.written([entry], .openPomodoro, zone: newYork)
                == "2016-06-03T17:01:31-04:00 duration=25 description=\"Open \\\"Pomodoro\\\"\"\n")
        let plain = HistoryEntry.work("2016-12-03T21:01:31Z", "2016-12-03T21:26:31Z", "Write")
        #expect(
            FocusFormatsTests.written([plain], .openPomodoro, zone: newYork)
                == "2016-12-03T16:01:31-05:00 duration=25 description=Write\n")
    }

    @Test("breaks and what takes under half a minute have no room in it")
    func noRoom() {
        var pause = HistoryEntry.work("2016-06-03T21:00:00Z", "2016-06-03T21:05:00Z")
        pause.activity = .shortBreak
        let short = HistoryEntry.work("2016-06-03T21:00:00Z", "2016-06-03T21:00:29Z")
        #expect(FocusFormatsTests.written([pause, short], .openPomodoro) == "")
    }

    @Test("attributes come in any order, and none has to")
    func attributes() throws {
        let text = """
            2016-06-03T17:01:31-04:00 duration=25 description="Open Pomodoro Standard" tags=personal,writing
              2016-06-03T18:01:31-04:00
            2016-06-03T19:01:31-04:00 tags=a,b colour=red done duration="50"\r

            2016-06-03T20:01:31-04:00 description="a \\"b\\" \\\\ \\u00e9\\n c"
            """
        let found = try entries(text, .openPomodoro)
        #expect(found.map(\.label) == ["Open Pomodoro Standard", "", "a, b", "a \"b\" \\ \u{E9}  c"])
        #expect(found.map { $0.interval.length.inSeconds / 60 } == [25, 25, 50, 25])
        #expect(found.first?.interval.from == instant("2016-06-03T21:01:31Z"))
        #expect(found.allSatisfy { $0.outcome == .completed })
    }

    @Test("a Pomodoro of no length or over a day is left out")
    func leftOut() throws {
        let text = "2016-06-03T17:01:31Z duration=0\n2016-06-03T17:01:31Z duration=1441\n"
        #expect(try omissions(text, .openPomodoro) == ["noLength 1", "tooLong 2"])
    }

    @Test(
        "what is wrong is named by its line",
        arguments: [
            (
                "2016-06-03T17:01:31 duration=25",
                "line 1: '2016-06-03T17:01:31' is not a time as in 2016-06-03T17:01:31-04:00"
            ),
            ("2016-06-03T17:01:31Z duration=-1", "line 1: duration is '-1', and not a number of minutes"),
            ("2016-06-03T17:01:31Z =25", "line 1: '=25' is not key=value"),
        ])
    func problems(text: String, expected: String) { #expect(problem(text, .openPomodoro) == expected) }
}
