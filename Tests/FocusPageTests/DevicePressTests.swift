import FocusClient
import FocusPage
import FocusText
import Testing

@Suite("The page's requests about devices and joining")
struct DevicePressTests {
    private static let table: [(String, DevicePress)] = [
        (#"{"rename":"desk"}"#, .rename("desk")),
        (#"{"revoke":"desk"}"#, .revoke(["desk"], revokesOnlyNamed: false)),
        (
            #"{"revoke":["desk","cccccccc"],"only":true}"#,
            .revoke(["desk", "cccccccc"], revokesOnlyNamed: true)
        ),
        (#"{"accept":"desk"}"#, .accept("desk")),
        (#"{"readmit":"desk"}"#, .readmit("desk")),
    ]

    @Test("each has its text", arguments: table)
    func presses(text: String, expected: DevicePress) throws {
        #expect(try DevicePress(parsing: Array(text.utf8)) == expected)
    }

    @Test(
        "an invalid request says what is wrong",
        arguments: [
            ("{}", #"The request lacks "readmit"."#),
            (#"{"revoke":[]}"#, #""revoke" must be a text, or a list of texts."#),
            (#"{"revoke":["desk",1]}"#, #""revoke" must be a text, or a list of texts."#),
            (#"{"revoke":1}"#, #""revoke" must be a text."#),
            (#"{"revoke":"desk","only":1}"#, #""only" must be true or false."#),
            (#"{"accept":true}"#, #""accept" must be a text."#),
        ])
    func malformed(text: String, sentence: String) {
        let problem = #expect(throws: PagePress.Malformed.self) {
            try DevicePress(parsing: Array(text.utf8))
        }
        #expect(problem?.sentence(by: .utc) == sentence)
    }

    private static let joining: [(String, JoinPress)] = [
        (#"{"invite":"lockstep1-a"}"#, .join("lockstep1-a", takesAlong: nil)),
        (#"{"invite":"lockstep1-a","takeAlong":null}"#, .join("lockstep1-a", takesAlong: nil)),
        (#"{"invite":"lockstep1-a","takeAlong":true}"#, .join("lockstep1-a", takesAlong: true)),
        (#"{"invite":"lockstep1-a","takeAlong":false}"#, .join("lockstep1-a", takesAlong: false)),
        (#"{"giveUp":true}"#, .giveUp),
    ]

    @Test("each about joining has its text", arguments: joining)
    func joinPresses(text: String, expected: JoinPress) throws {
        #expect(try JoinPress(parsing: Array(text.utf8)) == expected)
    }

    @Test(
        "an invalid request about joining says what is wrong, without the pasted text",
        arguments: [
            ("{}", #"The request lacks "invite"."#),
            (#"{"invite":["lockstep1-a"]}"#, #""invite" must be a text."#),
            (#"{"invite":"lockstep1-a","takeAlong":"yes"}"#, #""takeAlong" must be true or false."#),
            (#"{"giveUp":1}"#, #""giveUp" must be true or false."#),
        ])
    func malformedJoining(text: String, sentence: String) {
        let problem = #expect(throws: PagePress.Malformed.self) {
            try JoinPress(parsing: Array(text.utf8))
        }
        #expect(problem?.sentence(by: .utc) == sentence)
    }
}
