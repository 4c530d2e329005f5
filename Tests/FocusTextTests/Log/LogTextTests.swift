import FocusCore
import FocusText
import TestSupport
import Testing

/// docs/timer-rules.md, "A log as text".
@Suite("Log as text")
struct LogTextTests {
    /// Returns a line that ends with `rest`: its action and fields.
    private func line(_ rest: String) -> String {
        #"{"replica":"9f2c6a1b00d4e7aa","seq":1,"ms":5,"counter":0,"# + rest + "}"
    }

    private func parse(_ text: String) throws -> [Event] {
        try LogText.parse(Array(text.utf8)).map(\.event)
    }

    @Test(
        "a line with a missing or mistyped field, or a doubled one, is an error",
        arguments: [
            #""action":"pause""#, #""action":"pause","run":null"#, #""action":"pause","run":"x""#,
            #""action":"pause","run":"5.0@9F2C6A1B00D4E7AA""#, #""action":"pause","run":5"#,
            #""action":"set","key":"dailyGoal","value":1.0"#,
            #""action":"set","key":"dailyGoal","value":true"#,
            #""action":"set","key":"dailyGoal","value":"1""#, #""action":"set","key":"dailyGoal""#,
            #""action":"set","key":"dailyGoal","value":1,"value":1"#, #""action":"start","label":7"#,
            #""action":"start","offline":1"#, #""action":"start","at":1.5"#, #""action":5"#, #""x":1"#,
            #""action":"set","key":"dailyGoal","value":9223372036854775808"#,
            #""action":"undo","target":{"replica":"9f2c6a1b00d4e7aa"}"#, #""action":"undo","target":3"#,
            #""action":"undo""#, #""action":"device""#, #""action":"label","run":"5.0@9f2c6a1b00d4e7aa""#,
            #""action":"skip","run":"5.0@9f2c6a1b00d4e7aa""#,
            #""action":"adjust","run":"5.0@9f2c6a1b00d4e7aa","ordinal":0"#,
            #""action":"record","activity":"work","startedAt":1,"endedAt":2,"outcome":"completed","label":"""#,
            #""action":"amend","run":"5.0@9f2c6a1b00d4e7aa","ordinal":0,"removed":"yes""#,
        ])
    func badFields(rest: String) {
        #expect(throws: LogText.BadLine.self) { try parse(line(rest)) }
    }

    @Test("a line whose name or stamp is malformed is an error")
    func badLines() {
        let good = line(#""action":"start""#)
        let changes = [
            ("9f2c6a1b00d4e7aa", "9f2c"), ("9f2c", "9F2C"), (#""seq":1"#, #""seq":0"#), (":5", ":-1"),
            (":5", ":140737488355328"), (#""counter":0"#, #""counter":65536"#), (#""counter":0,"#, ""),
            (good, "[]"), ("}", ""), (good, "start"), ("}", "} x"),
        ]
        for (text, changed) in changes {
            #expect(throws: LogText.BadLine.self) { try parse(good.replacing(text, with: changed)) }
        }
        #expect(throws: Never.self) { try parse(good) }
    }

    @Test(
        "what is wrong with a line is said, with the field that it is wrong with",
        arguments: [
            ("[]", .notAnObject), ("{}", .missing(field: "replica")),
            (#"{"replica":7}"#, .mistyped(field: "replica", wanted: "a string")),
            (
                #"{"replica":"9f2c6a1b00d4e7aa","seq":1,"ms":140737488355328,"counter":0,"action":"start"}"#,
                .stampTooLarge
            ),
        ] as [(String, EventLine.Malformed)])
    func problems(text: String, problem: EventLine.Malformed) throws {
        #expect(throws: problem) { try EventLine(parsing: text.utf8) }
        let noJSON = try #require(throws: JSON.Malformed.self) { try JSON(parsing: (text + "}").utf8) }
        #expect(throws: EventLine.Malformed.notJSON(noJSON)) { try EventLine(parsing: (text + "}").utf8) }
    }

    @Test("a value out of range is kept", arguments: ["nap", ""])
    func outOfRange(activity: String) throws {
        let text = line(
            #""action":"record","activity":"\#(activity)","startedAt":9,"endedAt":2,"outcome":"x","label":"","source":"""#
        )
        let record = Action.Record(
            activity: activity, startedAt: 9, endedAt: 2, outcome: "x", label: "", source: "")
        #expect(try parse(text).map(\.action) == [.record(record)])
    }

    @Test(
        "an encoding that no device writes is read as it was exported",
        arguments: [
            [], [13, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0xFF, count: 9) + [1], [0xFF],
        ])
    func strangeEncodings(bytes: [UInt8]) throws {
        let action = Action(encoded: bytes)
        let event = Event(replica: ReplicaID(rawValue: 1), seq: 1, stamp: .zero, action: action)
        #expect(try parse("\(EventLine(event))").map { $0.action.encoded() } == [bytes])
    }

    @Test("a bad line is named by its number, blank lines counted")
    func lineNumber() {
        let text = line(#""action":"start""#) + "\n\n" + line(#""action":"pause""#) + "\n"
        let error = #expect(throws: LogText.BadLine.self) { try parse(text) }
        #expect(error?.number == 3)
    }

    @Test("the last line needs no newline, and a carriage return is passed over")
    func lineEnds() throws {
        let text = line(#""action":"start""#)
        #expect(try parse(text).count == 1)
        #expect(try parse(text + "\r\n").count == 1)
        #expect(try parse("").isEmpty)
    }
}
