import CommandLineKit
import Foundation
import Testing

@Suite("Words for a shell")
struct ShellWordTests {
    @Test("what a shell would take for something else is quoted, and nothing else is")
    func quoting() {
        #expect(ShellWord.quoted("/srv/focusd-1.2") == "/srv/focusd-1.2")
        #expect(ShellWord.quoted("") == "''")
        #expect(ShellWord.quoted("my server") == "'my server'")
        #expect(ShellWord.quoted("it's") == #"'it'\''s'"#)
    }

    @Test(
        "a shell reads the word back",
        arguments: [
            "~", "$HOME", "a\nb", "`x`", "\"", "\\", "'", "!!", "*", "#x", "é", "a=b",
            "'\u{301}; echo no '\u{301}",
        ])
    func readBack(word: String) throws {
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "printf %s \(ShellWord.quoted(word))"]
        shell.standardOutput = output
        try shell.run()
        let read = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(String(decoding: read, as: UTF8.self) == word)
    }
}
