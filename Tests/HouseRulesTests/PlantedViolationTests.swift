import Testing

/// Samples that break four of the rules, which take text apart in different ways.
///
/// They fail if a change to the shared code (`SwiftText`, `SourceFile`) makes the rules find nothing.
@Suite("The house rules find what is planted")
struct PlantedViolationTests {
    @Test("an import of what the target doesn't depend on, but for the word in a comment or a string")
    func imports() {
        let text =
            "// import Foundation\nlet import_ = \"import Foundation\"\npackage import struct Foundation.Data"
        let file = SourceFile(path: "Sources/FocusCore/A.swift", text: text)
        #expect(ImportRule.violations(in: file).map(\.line) == [3])
    }

    @Test("a command in a message that its program doesn't take")
    func commands() {
        let text =
            "let a = \"'focus join INVITE' helps: \"\nlet b = \"It is. 'focus agent \"\n    + \"star' helps.\""
        let file = SourceFile(path: "Client/FocusFront/A.swift", text: text)
        #expect(CommandRule.violations(in: file).count == 1)
    }

    @Test("a link to a file or a heading that isn't there, but for quoted code")
    func links() {
        let text = """
            # The `one` heading
            [a](#the-one-heading) [b](#another) [c](../README.md) [d](none.md) [e](https://example.org/x)
            ```
            [f](none.md)
            ```
            """
        let found = LinkRule.violations([SourceFile(path: "docs/a.md", text: text)])
        #expect(
            found.map(\.problem) == ["the link '#another' leads nowhere", "the link 'none.md' leads nowhere"])
    }

    @Test("calls that end the program; their names in strings and comments are none")
    func trappingCalls() {
        let text = """
            let a = try! read()
            /* as! */ let b = c as! String
            fatalError("try! this")
            // try! as! fatalError(
            let d = "try! \\(try! e("as!")) as!"
            let f = #"fatalError(" \\( "# + g
            """
        let file = SourceFile(path: "Client/FocusClient/A.swift", text: text)
        #expect(CodeRules.bannedCalls(file).map(\.line) == [1, 2, 3])
    }
}
