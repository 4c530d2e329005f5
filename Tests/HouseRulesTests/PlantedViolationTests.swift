import Testing

/// Samples that break three of the rules, which take text apart in different ways.
///
/// They fail if a change to the shared code (`SwiftText`, `SourceFile`) makes the rules find nothing.
@Suite("The house rules find what is planted")
struct PlantedViolationTests {
    private func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }

    private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    @Test(
        "an import of what the target doesn't depend on",
        arguments: [
            ("Sources/FocusCore/A.swift", "import Foundation"),
            ("Sources/FocusCore/A.swift", "import Synchronization"),
            ("Sources/FocusSync/A.swift", "package import FocusStore"),
            ("Sources/FocusStore/A.swift", "import CSQLite"),
            ("Sources/FocusSeal/A.swift", "@preconcurrency import struct Foundation.Data"),
            ("Sources/SQLiteKit/A.swift", "import COpenSSL.Raw"),
            ("Client/FocusClient/A.swift", "import SQLiteKit"),
            ("Client/FocusDevice/A.swift", "import FocusNet"),
            ("Client/FocusLink/A.swift", "import CommandLineKit"),
            ("Client/FocusAgent/A.swift", "package import CommandLineKit"),
            ("Client/FocusFront/A.swift", "import FocusHTTP"),
            ("Client/FocusScreen/A.swift", "import FocusPage"),
            ("Client/FocusPage/A.swift", "import CursesKit"),
            ("Client/FocusPage/A.swift", "import FocusClient"),
            ("Simulation/Simulation/A.swift", "import FocusClient"),
            ("Client/focus/main.swift", "import FocusCore"),
            ("Server/FocusServer/A.swift", "internal import FocusStore"),
            ("Server/FocusServing/A.swift", "import CommandLineKit"),
            ("Server/FocusWriter/A.swift", "package import FocusServing"),
            ("Sources/Unheard/A.swift", "let one = 1"),
        ])
    func imports(path: String, text: String) {
        #expect(ImportRule.violations(in: file(path, text)).count == 1)
    }

    @Test(
        "a command in a message that its program doesn't take, or that lacks something",
        arguments: [
            #"let a = "It is. 'focus jion X' helps.""#, #"let a = "'focus devices accept' lets it in.""#,
            #"let a = "Do this: focus devices revoke""#, #"let a = "focus clock acept""#,
            "let a = \"It is. 'focus agent \"\n    + \"star' helps.\"",
            #"let a = folder.command("restore FILE --replaced")"#,
            #"let a = "So: \(folder.command("rekey finnish"))""#, #"let a = "`focusd migrate` moves it.""#,
            #"let a = "left behind:\n  FOCUS_HOME=\(copy) focus export | focus import""#,
        ])
    func commands(text: String) {
        #expect(CommandRule.violations(in: file("Client/FocusWords/A.swift", text)).count == 1)
    }

    @Test("a command that a message of the server's names without its folder")
    func folderlessCommands() {
        let text = #"let a = "It is damaged: 'focusd verify' says more. 'focusd config --help' is help.""#
        #expect(CommandRule.violations(in: file("Server/FocusServing/A.swift", text)).count == 1)
        #expect(
            CommandRule.violations(in: file("Server/FocusServer/Commands/FocusdProgram.swift", text)) == [])
        #expect(CommandRule.violations(in: file("Client/FocusWords/A.swift", text)) == [])
    }

    @Test("a command that its program takes is none, nor are words that only begin like one")
    func takenCommands() {
        let text = #"""
            let a = "'focus join INVITE' and 'focusd backup FILE', and \(time) a day: focus time. To leave: focus leave."
            let b = "focus devices revoke \(name)"
            let c = folder.command("restore \(ShellWord.quoted(path)) --replace")
            let d = "focusd is ready at \(place).\n"
            """#
        #expect(CommandRule.violations(in: file("Client/FocusWords/A.swift", text)) == [])
        #expect(CommandRule.commands(in: file("Server/FocusServer/A.swift", text)).count == 5)
    }

    @Test("an import of what the target depends on is none, nor is the word in a comment or a string")
    func allowedImports() {
        #expect(
            ImportRule.violations(in: file("Sources/SQLiteKit/A.swift", "import CSQLite\nimport SystemKit"))
                == []
        )
        #expect(
            ImportRule.violations(
                in: file("Sources/FocusCore/A.swift", "// import Foundation\nlet import_ = 1"))
                == [])
        #expect(ImportRule.violations(in: file("Tests/FocusCoreTests/A.swift", "import Foundation")) == [])
    }

    @Test("calls that end the program, everywhere; their names in strings and comments are none")
    func trappingCalls() {
        let text = """
            let a = try! read()
            let b = c as! String
            fatalError("try! this")
            // try! as! fatalError(
            let d = "try! \\(try! e("as!")) as!"
            let f = g as? String ?? "fatalError("
            """
        #expect(lines(CodeRules.bannedCalls(file("Client/FocusClient/A.swift", text))) == [1, 2, 3])
        #expect(lines(CodeRules.bannedCalls(file("Tests/FocusNetTests/A.swift", text))) == [1, 2, 3])
    }
}
