import FocusClient
import FocusPage
import Testing

@Suite("The page's requests about joining")
struct JoinPressTests {
    private static let table: [(String, JoinPress)] = [
        (#"{"invite":"lockstep1-a"}"#, .join("lockstep1-a", takesAlong: nil)),
        (#"{"invite":"lockstep1-a","takeAlong":null}"#, .join("lockstep1-a", takesAlong: nil)),
        (#"{"invite":"lockstep1-a","takeAlong":true}"#, .join("lockstep1-a", takesAlong: true)),
        (#"{"invite":"lockstep1-a","takeAlong":false}"#, .join("lockstep1-a", takesAlong: false)),
        (#"{"giveUp":true}"#, .giveUp),
    ]

    @Test("each has its text", arguments: table)
    func presses(text: String, expected: JoinPress) throws {
        #expect(try JoinPress(parsing: Array(text.utf8)) == expected)
    }

    @Test(
        "an invalid request says what is wrong, without the pasted text",
        arguments: [
            ("{}", #"The request lacks "invite"."#),
            (#"{"invite":["lockstep1-a"]}"#, #""invite" is to be a text."#),
            (#"{"invite":"lockstep1-a","takeAlong":"yes"}"#, #""takeAlong" is to be true or false."#),
            (#"{"giveUp":1}"#, #""giveUp" is to be true or false."#),
        ])
    func malformed(text: String, sentence: String) {
        let problem = #expect(throws: PagePress.Malformed.self) {
            try JoinPress(parsing: Array(text.utf8))
        }
        #expect(problem?.sentence == sentence)
    }
}
