import CommandLineKit
import FocusCore
import FocusFront
import FocusText
import TestSupport
import Testing

@Suite("A line that starts")
struct StartRequestTests {
    @Test("is the label, with a length and a time anywhere in it")
    func forms() throws {
        let halfPastNine = TimeWord.today(34_200_000)
        let forms: [(String, StartRequest)] = [
            ("a -- b", StartRequest(label: "a -- b")),
            (
                "Report --at '2025-11-20 9:30'",
                StartRequest(label: "Report", time: TimeWord("2025-11-20 09:30"))
            ),
            ("", StartRequest()), ("two  spaces", StartRequest(label: "two  spaces")),
            ("Report --for 50m", StartRequest(label: "Report", length: .seconds(3000))),
            ("--at 9:30 the paper", StartRequest(label: "the paper", time: halfPastNine)),
            (
                "a --at 9:30 b --for 1h",
                StartRequest(label: "a b", length: .seconds(3600), time: halfPastNine)
            ),
            ("-- a --watch", StartRequest(label: "a --watch")),
            ("-- --for 50m", StartRequest(label: "--for 50m")), ("-- ", StartRequest()),
        ]
        for (line, request) in forms { #expect(try StartRequest(line: line) == request, "\(line)") }
    }

    @Test(
        "any label has a line, also one that looks like a length or an option",
        arguments: ["Report", "two  spaces", "--watch", "Read --for 50m", "-- a", "--", "-x", ""])
    func lines(label: String) throws {
        let request = try StartRequest(line: StartRequest.line(label: label))
        #expect(request == StartRequest(label: label.isEmpty ? nil : label))
        #expect(StartRequest.line(label: "Report") == "Report")
    }

    @Test(
        "names what is missing or wrong",
        arguments: [
            ("Report --for", "A duration is missing"), ("--for x", "'x' is not a duration."),
            ("Report --at", "A time is missing"), ("--at 25:99", "'25:99' is not a time."),
            ("--at '2025-11-20 9:5'", "'2025-11-20 9:5' is not a time."),
            ("Report --foo 5m", "'--foo' isn't known here."),
        ])
    func problems(line: String, problem: String) throws {
        let error = #expect(throws: ValueProblem.self) { try StartRequest(line: line) }
        #expect(error?.message.hasPrefix(problem) == true)
    }

    @Test("a time of more than 12 hours ago is tomorrow's, any other is today's")
    func days() throws {
        let now = SharedInstant(seconds: 23 * 3600)
        let words: [(String, SharedInstant)] = [
            ("22:30", SharedInstant(seconds: 81_000)), ("23:30", SharedInstant(seconds: 84_600)),
            ("0:10", SharedInstant(seconds: 87_000)),
        ]
        for (word, instant) in words {
            let request = StartRequest(time: TimeWord(word))
            #expect(
                try request.interaction(at: now, .utc) == .start(label: nil, begins: instant), "\(word)")
        }
    }
}
