import FocusClient
import FocusCore
import Testing

@Suite("What a page presses")
struct PagePressTests {
    private static let table: [(String, PagePress)] = [
        (#"{"press":"start"}"#, .interaction(.start(label: nil), sure: false)),
        (#"{"press":"start","label":null}"#, .interaction(.start(label: nil), sure: false)),
        (#"{"press":"start","label":"A"}"#, .interaction(.start(label: "A"), sure: false)),
        (#"{"press":"pause"}"#, .interaction(.pause, sure: false)),
        (#"{"press":"resume"}"#, .interaction(.resume, sure: false)),
        (#"{"press":"toggle"}"#, .interaction(.toggle, sure: false)),
        (#"{"press":"stop"}"#, .interaction(.stop, sure: false)),
        (#"{"press":"skip"}"#, .interaction(.skip, sure: false)),
        (#"{"press":"undo"}"#, .interaction(.undo, sure: false)),
        (#"{"press":"undo","sure":true}"#, .interaction(.undo, sure: true)),
        (#"{"press":"redo","sure":true}"#, .interaction(.redo, sure: true)),
        (#"{"press":"add","seconds":-300}"#, .interaction(.addTime(seconds: -300), sure: false)),
        (#"{"press":"label","label":""}"#, .interaction(.label(""), sure: false)),
        (
            #"{"press":"set","setting":"workLength","value":1500}"#,
            .interaction(.set(.workLength, 1500), sure: false)
        ),
        (
            #"{"press":"set","setting":"workLength","value":"50m"}"#,
            .interaction(.set(.workLength, 3000), sure: false)
        ),
        (
            #"{"press":"set","setting":"autoStartWork","value":"off"}"#,
            .interaction(.set(.autoStartWork, 0), sure: false)
        ),
        (#"{"press":"set","setting":"sound","value":"off"}"#, .switchOwn(.sound, on: false)),
        (#"{"press":"relabel","record":"k3f9q2","label":"B"}"#, .relabel(entry: "k3f9q2", "B")),
        (#"{"press":"remove","record":"k3f9q2"}"#, .remove(entry: "k3f9q2")),
    ]

    @Test("each press has its text", arguments: table)
    func presses(text: String, expected: PagePress) throws {
        #expect(try PagePress(parsing: Array(text.utf8)) == expected)
    }

    @Test("the past is added as work, or as what it says")
    func past() throws {
        let text = #"{"press":"addPast","startedAt":1000,"endedAt":2000,"label":"A","activity":"longBreak"}"#
        let phase = try PastPhase(.longBreak, Interval(from: 1000, to: 2000), label: "A")
        #expect(try PagePress(parsing: Array(text.utf8)) == .interaction(.add(phase), sure: false))
    }
}
