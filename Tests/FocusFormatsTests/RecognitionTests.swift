import FocusFormats
import Testing

@Suite("Telling what a file is")
struct RecognitionTests {
    @Test(
        "by how it begins",
        arguments: [
            ("{\"replica\":\"9f2c6a1b00d4e7aa\"", "jsonl"), ("\u{FEFF}\r\n begin:vcalendar\r\n", "ics"),
            ("\n[\n{", "timewarrior"), ("2016-06-03T17:01:31-04:00\n", "open-pomodoro"),
            ("\"User\",\"Email\",\"Start date\",\"Start time\"", "toggl"), ("label,Ended,started\n", "csv"),
            ("sep=;\r\nstarted;ended\r\n", "csv"), ("\u{FEFF}Started\tEnded\n", "csv"),
            ("Email;Start date;Start time;Duration\n", "toggl"),
        ])
    func recognised(head: String, name: String) {
        #expect(FileFormat(recognising: Array(head.utf8))?.rawValue == name)
    }

    @Test(
        "what is like none of them is not guessed at",
        arguments: ["", " ", "Hello", "2016-06-03", "a,b,c", "17"])
    func unknown(head: String) { #expect(FileFormat(recognising: Array(head.utf8)) == nil) }

    @Test("every format is called by its name")
    func names() {
        let names = FileFormat.allCases.map(\.rawValue)
        #expect(names == ["jsonl", "csv", "ics", "timewarrior", "open-pomodoro", "toggl"])
        #expect(names.map { FileFormat(rawValue: $0) } == FileFormat.allCases)
        #expect(FileFormat(rawValue: "pdf") == nil)
    }
}
