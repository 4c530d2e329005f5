import FocusClient
import FocusPage
import Testing

@Suite("The page's requests about devices")
struct DevicePressTests {
    private static let table: [(String, DevicePress)] = [
        (#"{"rename":"desk"}"#, .rename("desk")),
        (#"{"revoke":"desk"}"#, .revoke(["desk"], isOnly: false)),
        (#"{"revoke":["desk","cccccccc"],"only":true}"#, .revoke(["desk", "cccccccc"], isOnly: true)),
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
            (#"{"revoke":[]}"#, #""revoke" is to be a text, or a list of texts."#),
            (#"{"revoke":["desk",1]}"#, #""revoke" is to be a text, or a list of texts."#),
            (#"{"revoke":1}"#, #""revoke" is to be a text."#),
            (#"{"revoke":"desk","only":1}"#, #""only" is to be true or false."#),
            (#"{"accept":true}"#, #""accept" is to be a text."#),
        ])
    func malformed(text: String, sentence: String) {
        let problem = #expect(throws: PagePress.Malformed.self) {
            try DevicePress(parsing: Array(text.utf8))
        }
        #expect(problem?.sentence == sentence)
    }
}
