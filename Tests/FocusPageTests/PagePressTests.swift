import FocusClient
import FocusCore
import FocusDevice
import FocusFront
import FocusPage
import FocusText
import TestSupport
import Testing

@Suite("The page's presses")
struct PagePressTests {
    private static let table: [(String, PagePress)] = [
        (#"{"press":"start"}"#, .interaction(.start(label: nil))),
        (#"{"press":"start","label":null}"#, .interaction(.start(label: nil))),
        (#"{"press":"start","label":"A"}"#, .interaction(.start(label: "A"))),
        (#"{"press":"pause"}"#, .interaction(.pause)),
        (#"{"press":"resume"}"#, .interaction(.resume)),
        (#"{"press":"toggle"}"#, .interaction(.toggle)),
        (#"{"press":"complete"}"#, .interaction(.complete)),
        (#"{"press":"break"}"#, .interaction(.rest)),
        (
            #"{"press":"start","length":"50 m","begins":1763661600000}"#,
            .backdated(
                .start(label: nil, length: .seconds(3000), begins: 1_763_661_600_000), accepting: [])
        ),
        (#"{"press":"stop"}"#, .interaction(.stop)),
        (
            #"{"press":"stop","ago":"10m","short":true}"#,
            .backdated(.stop, ago: .seconds(600), accepting: .shortReach)
        ),
        (
            #"{"press":"stop","ago":"7","uncounted":true}"#,
            .backdated(.stop, ago: .seconds(420), accepting: .lostWork)
        ),
        (#"{"press":"skip"}"#, .interaction(.skip)),
        (#"{"press":"undo"}"#, .interaction(.undo)),
        (#"{"press":"undo","sure":true}"#, .interaction(.undo, .always)),
        (#"{"press":"redo","sure":true}"#, .interaction(.redo, .always)),
        (
            #"{"press":"undo","sure":"9f2c6a1b00d4e7aa/12"}"#,
            .interaction(.undo, .given(EventID(replica: ReplicaID(rawValue: 0x9f2c_6a1b_00d4_e7aa), seq: 12)))
        ),
        (#"{"press":"add","seconds":-300}"#, .interaction(.addTime(.seconds(-300)))),
        (#"{"press":"label","label":""}"#, .interaction(.label(""))),
        (
            #"{"press":"set","setting":"workLength","value":1500}"#,
            .interaction(.set(.workLength, 1500))
        ),
        (
            #"{"press":"set","setting":"workLength","value":"50m"}"#,
            .interaction(.set(.workLength, 3000))
        ),
        (
            #"{"press":"set","setting":"autoStartWork","value":"off"}"#,
            .interaction(.set(.autoStartWork, 0))
        ),
        (#"{"press":"useProfile","name":"long"}"#, .interaction(.useProfile("long"))),
        (#"{"press":"saveProfile","name":"deep"}"#, .interaction(.saveProfile("deep"))),
        (#"{"press":"removeProfile","name":"deep"}"#, .interaction(.removeProfile("deep"))),
        (#"{"press":"set","setting":"sound","value":"off"}"#, .changeOwn(.sound, to: .off)),
        (#"{"press":"set","setting":"theme","value":"dark"}"#, .changeOwn(.theme, to: .name("dark"))),
        (
            #"{"press":"set","setting":"warnBefore","value":"2m"}"#,
            .changeOwn(.warnBefore, to: .length(.seconds(120)))
        ),
        (#"{"press":"relabel","record":"k3f9q2","label":"B"}"#, .relabel(entry: "k3f9q2", "B")),
        (
            #"{"press":"retime","record":"k3f9q2","line":"45m"}"#,
            .changeEntry("k3f9q2", .length(.seconds(2_700)))
        ),
        (
            #"{"press":"split","record":"k3f9q2","line":"0:10 Mail"}"#,
            .changeEntry("k3f9q2", .split(.today(600_000), label: "Mail"))
        ),
        (#"{"press":"remove","record":"k3f9q2"}"#, .remove(entry: "k3f9q2")),
        (
            #"{"press":"idle","answer":"drop","from":60000,"until":120000}"#,
            .answer(.drop, from: 60_000, until: 120_000)
        ),
    ]

    @Test("each press is parsed", arguments: table)
    func presses(text: String, expected: PagePress) throws {
        #expect(try PagePress(parsing: Array(text.utf8)) == expected)
    }

    @Test("a past phase is work, unless the request names another activity")
    func past() throws {
        let text = #"{"press":"addPast","startedAt":1000,"endedAt":2000,"label":"A","activity":"longBreak"}"#
        let phase = try PastPhase(.longBreak, Interval(from: 1000, to: 2000), label: "A")
        #expect(try PagePress(parsing: Array(text.utf8)) == .interaction(.add(phase)))
    }

    @Test(
        "a past phase is given by two of beginning, end and length",
        arguments: [
            #""startedAt":60000,"endedAt":120000"#, #""startedAt":60000,"length":"1m""#,
            #""endedAt":120000,"length":" 60 s","startedAt":null"#, #""endedAt":120000,"length":"1""#,
        ])
    func pastLength(members: String) throws {
        let text = #"{"press":"addPast",\#(members)}"#
        let phase = try PastPhase(.work, Interval(from: 60_000, to: 120_000), label: "")
        #expect(try PagePress(parsing: Array(text.utf8)) == .interaction(.add(phase)))
    }

    @Test(
        "an impossible past phase is refused with the reason",
        arguments: [
            (#""startedAt":1,"endedAt":2,"length":"1m""#, "Only two of"),
            (#""length":"1m""#, "\"endedAt\" must be"),
            (#""startedAt":1,"length":"x""#, "A duration is written"),
            (#""startedAt":1,"length":"0m""#, "isn't after its beginning"),
            (#""endedAt":1,"length":"1m""#, "before 1970"),
            (#""startedAt":253402300799999,"length":"366d""#, "A duration"),
            (#""startedAt":253402300799999,"length":"8000h""#, "isn't after its beginning"),
            (#""startedAt":1,"length":"25h""#, "24 hours"),
        ])
    func impossiblePast(members: String, reason: String) throws {
        let text = #"{"press":"addPast",\#(members)}"#
        do throws(PagePress.Malformed) {
            _ = try PagePress(parsing: Array(text.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.sentence(by: .utc).contains(reason))
        }
    }

    @Test("an invalid press says what is wrong")
    func problems() throws {
        let empty = Interval(from: 1_000, to: 1_000)
        let cases: [(String, PagePress.Malformed)] = [
            ("{}", .lacks("press")), (#"{"press":7}"#, .isNot("press", .text)),
            (#"{"press":"dance"}"#, .unknown(.press, "dance")),
            (#"{"press":"idle","answer":"maybe"}"#, .unknown(.answer, "maybe")),
            (#"{"press":"idle","answer":"keep","from":1}"#, .isNot("until", .number)),
            (#"{"press":"addPast","startedAt":1000,"endedAt":1000}"#, .impossiblePast(.noLength, empty)),
            (#"{"press":"addPast","startedAt":1,"length":"x"}"#, .noLength("length")),
            (#"{"press":"undo","sure":"yes"}"#, .isNot("sure", .consent)),
            (#"{"press":"undo","sure":1}"#, .isNot("sure", .flag)),
            (#"{"press":"stop","ago":"x"}"#, .noLength("ago")),
            (#"{"press":"stop","ago":7}"#, .isNot("ago", .text)),
            (#"{"press":"addPast","startedAt":1,"endedAt":2,"length":"1m"}"#, .threeTimes),
            (#"{"press":"set","setting":"workLength","value":"long"}"#, .noValue(.workLength)),
            (#"{"press":"set","setting":"sound","value":"loud"}"#, .noOwnValue(.sound)),
        ]
        for (text, problem) in cases {
            #expect(throws: problem) { try PagePress(parsing: Array(text.utf8)) }
        }
        let noJSON = try #require(throws: JSON.Malformed.self) { try JSON(parsing: "{".utf8) }
        #expect(throws: PagePress.Malformed.noJSON(noJSON)) { try PagePress(parsing: Array("{".utf8)) }
        let line = #"{"press":"split","record":"k3f9q2","line":"x"}"#
        let noLine = #expect(throws: PagePress.Malformed.self) { try PagePress(parsing: Array(line.utf8)) }
        guard case .noLine? = noLine else { throw try #require(noLine) }
    }

    private static let run = "1763661600000.0@9f2c6a1b00d4e7aa"

    private struct OtherPress: Error {}

    private static func screen(_ text: String) throws -> ShownTimer? {
        let body = #"{"press":"toggle","shown":\#(text)}"#
        guard case .interaction(.toggle, .toBeAsked, let screen) = try PagePress(parsing: Array(body.utf8))
        else {
            throw OtherPress()
        }
        return screen
    }

    @Test(
        "the timer on the page's screen has the same form in requests and answers",
        arguments: ["running", "paused"])
    func screen(status: String) throws {
        let named = try #require(RunID(text: PagePressTests.run))
        for ordinal in [0, 7, Int64.max] {
            let expected: ShownTimer =
                status == "running" ? .running(named, ordinal: ordinal) : .paused(named, ordinal: ordinal)
            let text = #"{"status":"\#(status)","run":"\#(PagePressTests.run)","ordinal":\#(ordinal)}"#
            #expect(try PagePressTests.screen(text) == expected)
            #expect(expected.json.description == text)
        }
        let text = #"{"status":"stopped","run":null,"ordinal":null}"#
        #expect(try PagePressTests.screen(text) == .stopped)
        #expect(ShownTimer.stopped.json.description == text)
        #expect(try PagePressTests.screen(#"{"status":"stopped"}"#) == .stopped)
    }

    @Test("each press on the timer, undo and redo can name the timer on the screen")
    func screens() throws {
        let presses = [
            #""start""#, #""pause""#, #""resume""#, #""toggle""#, #""stop""#, #""skip""#, #""undo""#,
            #""redo""#, #""add","seconds":60"#, #""label","label":"A""#,
        ]
        for press in presses {
            let body = #"{"press":\#(press),"shown":{"status":"stopped"}}"#
            guard case .interaction(_, _, let screen) = try PagePress(parsing: Array(body.utf8)) else {
                Issue.record("\(press) is another press")
                continue
            }
            #expect(screen == .stopped, "\(press)")
        }
    }

    @Test("a press from an older page, without the timer on its screen, is accepted")
    func noScreen() throws {
        #expect(try PagePressTests.screen("null") == nil)
    }

    @Test(
        "an invalid timer on the screen is refused",
        arguments: [
            "1", #""running""#, "[]", "true", "{}", #"{"status":1}"#, #"{"status":"broken"}"#,
            #"{"status":"running"}"#, #"{"status":"running","run":"\#(run)"}"#,
            #"{"status":"running","ordinal":0}"#, #"{"status":"paused","run":null,"ordinal":null}"#,
            #"{"status":"running","run":"\#(run)","ordinal":-1}"#,
            #"{"status":"running","run":"\#(run)","ordinal":"0"}"#,
            #"{"status":"running","run":"\#(run)","ordinal":0.5}"#,
            #"{"status":"running","run":"\#(run)","ordinal":9223372036854775808}"#,
            #"{"status":"running","run":"\#(run)","ordinal":1e99}"#,
            #"{"status":"running","run":"99999999999999999999.0@9f2c6a1b00d4e7aa","ordinal":0}"#,
            #"{"status":"running","run":"x","ordinal":0}"#, #"{"status":"running","run":[],"ordinal":0}"#,
        ])
    func malformed(text: String) {
        #expect(throws: PagePress.Malformed.self) { try PagePressTests.screen(text) }
    }
}
