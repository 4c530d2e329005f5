import Testing

/// Each rule is shown samples that break it, so that a rule which no longer finds anything fails.
@Suite("The house rules find what is planted")
struct PlantedViolationTests {
    private func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }

    private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    @Test(
        "an import that the table doesn't allow",
        arguments: [
            ("Sources/FocusCore/A.swift", "import Foundation"),
            ("Sources/FocusCore/A.swift", "import Synchronization"),
            ("Sources/FocusSync/A.swift", "package import FocusStore"),
            ("Sources/FocusStore/A.swift", "import CSQLite"),
            ("Sources/FocusNet/A.swift", "import FocusCore"),
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

    @Test("an import that the table allows is none, nor is the word in a comment or a string")
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

    @Test(
        "a file of 400 lines is short enough, one of 401 is not; of the tests, one of 600",
        arguments: [("Sources/FocusCore/A.swift", 400), ("Tests/FocusCoreTests/A.swift", 600)])
    func length(path: String, limit: Int) {
        let line = "let one = 1\n"
        #expect(CodeRules.tooLong(file(path, String(repeating: line, count: limit))) == [])
        #expect(CodeRules.tooLong(file(path, String(repeating: line, count: limit + 1))).count == 1)
    }

    @Test("a module half of whose files have under 80 lines; not one of five files, nor tests")
    func fragments() {
        func files(_ lengths: [Int], in folder: String) -> [SourceFile] {
            lengths.enumerated().map { place, length in
                file("\(folder)/F\(place).swift", String(repeating: "let one = 1\n", count: length))
            }
        }
        let (split, full) = ([9, 9, 9, 79, 200, 300], [9, 9, 9, 80, 200, 300])
        #expect(CodeRules.fragments(in: files(split, in: "Sources/FocusCore/Time")).count == 1)
        #expect(CodeRules.fragments(in: files(full, in: "Sources/FocusCore/Time")) == [])
        #expect(CodeRules.fragments(in: files([9, 9, 9, 9, 9], in: "Sources/FocusCore/Time")) == [])
        #expect(CodeRules.fragments(in: files(split, in: "Tests/FocusCoreTests")) == [])
    }

    @Test(
        "a declaration that other modules see, without a word on what it is for",
        arguments: [
            "package let one = 1", "    package private(set) var two: Int { 2 }", "package init() {}",
            "    @discardableResult\n    package mutating func three() {}", "public enum Four {}",
            "/// Said.\n\npackage static func five() {}",
            "// Said.\nnonisolated package subscript(_: Int) -> Int",
        ])
    func undocumented(text: String) {
        #expect(CodeRules.undocumented(file("Sources/FocusCore/A.swift", text)).count == 1)
        #expect(CodeRules.undocumented(file("Tests/FocusCoreTests/A.swift", text)) == [])
    }

    @Test("a length of time that has no type, but for where units are made and read")
    func untypedTime() {
        let text = """
            /// Microseconds on the steady clock.
            let one: Int64 = 1
            /// So late, in microseconds.
            let two: Duration
            /// - Parameter now: microseconds since then.
            func three(_ now: Int64) {}
            """
        #expect(lines(CodeRules.untypedTime(file("Client/FocusLink/A.swift", text))) == [2, 6])
        #expect(CodeRules.untypedTime(file("Sources/SystemKit/SystemDifferences.swift", text)) == [])
        #expect(CodeRules.untypedTime(file("Tests/FocusLinkTests/A.swift", text)) == [])
        let waits = """
            /// When it began, in milliseconds.
            let one: Int64
            /// Milliseconds until it may ask again.
            let two: UInt32
            """
        #expect(lines(CodeRules.untypedTime(file("Server/FocusWriter/A.swift", waits))) == [2, 4])
        #expect(lines(CodeRules.untypedTime(file("Client/FocusLink/A.swift", waits))) == [2, 4])
    }

    @Test("a number that is a length of time by its name, or of seconds by its comment")
    func namedTime() {
        let text = """
            case add(seconds: Int64)
            init(offset: (_ seconds: Int64) -> Int64) {}
            let timeoutMilliseconds: UInt32?
            let patience = Duration.seconds(Int64(limit))
            /// How long, in seconds.
            package var patience: UInt32 = 30
            func microseconds() -> Int64 { 0 }
            let moment = SharedInstant(milliseconds: Int64(value))
            let secondsAgo: Duration
            """
        #expect(lines(CodeRules.untypedTime(file("Sources/FocusHTTP/A.swift", text))) == [1, 2, 3, 6, 7])
        #expect(CodeRules.untypedTime(file("Sources/FocusCore/Events/Action.swift", text)) == [])
    }

    @Test(
        "a declaration with a word on what it is for, and one that needs none",
        arguments: [
            "/// Said.\npackage let one = 1", "/// Said.\n    @discardableResult\n    package func two() {}",
            "package static func == (left: Int, right: Int)", "package import FocusCore",
            "package var description: String", "    let three = 3", "// package let four = 4",
        ])
    func documented(text: String) {
        #expect(CodeRules.undocumented(file("Client/FocusAgent/A.swift", text)) == [])
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

    @Test("anything unsafe in the targets that read what strangers send, and only there")
    func unsafe() {
        let text = "withUnsafeBytes(of: a) { _ in }\nlet b = unsafe c\nlet safe = 1"
        #expect(Set(lines(CodeRules.bannedCalls(file("Sources/FocusCore/A.swift", text)))) == [1, 2])
        #expect(Set(lines(CodeRules.bannedCalls(file("Sources/FocusSync/A.swift", text)))) == [1, 2])
        #expect(CodeRules.bannedCalls(file("Sources/FocusNet/A.swift", text)) == [])
    }

    @Test("asking which system's library there is, but for the module that owns it")
    func systemLibrary() {
        let text = "#if canImport(Glibc)\n    import Glibc\n#endif"
        #expect(lines(CodeRules.bannedCalls(file("Client/FocusAgent/A.swift", text))) == [1])
        #expect(ImportRule.violations(in: file("Client/FocusAgent/A.swift", text)).count == 1)
        #expect(CodeRules.bannedCalls(file("Sources/SystemKit/A.swift", text)) == [])
        #expect(ImportRule.violations(in: file("Sources/SystemKit/A.swift", text)) == [])
    }

    @Test("making files and folders, and reading what need not be UTF-8, but for the module that owns it")
    func systemCalls() {
        let text =
            "open(a, O_RDWR | O_CREAT, 0o600)\nmkdir(a, 0o700)\ngetenv(a)\nCommandLine.arguments\nstat(a, &b)"
        #expect(lines(CodeRules.bannedCalls(file("Server/FocusServer/A.swift", text))) == [1, 2, 3, 4])
        #expect(CodeRules.bannedCalls(file("Sources/SystemKit/A.swift", text)) == [])
        #expect(CodeRules.bannedCalls(file("Tests/FocusNetTests/A.swift", text)) == [])
    }

    @Test("sleeping in tests, and only there")
    func sleeping() {
        let text = "try await Task.sleep(for: .seconds(1))\nusleep(1)\nlet asleep = 1"
        #expect(lines(CodeRules.bannedCalls(file("Tests/FocusNetTests/A.swift", text))) == [1, 2])
        #expect(CodeRules.bannedCalls(file("Client/FocusClient/A.swift", text)) == [])
    }

    @Test("a promise without a reason")
    func promises() {
        let text = """
            final class A: @unchecked Sendable {}
            // Only the loop's thread reads it.
            nonisolated(unsafe) let b = c
            nonisolated(unsafe) let d = e  // As above.
            let f = 1
            nonisolated(unsafe) let g = h
            """
        #expect(lines(CodeRules.unprovenPromises(file("Sources/FocusNet/A.swift", text))) == [1, 6])
    }

    @Test(
        "a type's name that is there already, but for one that a file keeps to itself, or that lies in another type"
    )
    func typeNames() {
        let one = file(
            "Sources/FocusNet/A.swift", "package struct A {\n    enum Place {}\n}\nprivate struct Step {}")
        let next = file(
            "Client/FocusClient/B.swift",
            "// struct A\nextension A {}\nenum Place {}\nstruct Step {}\n@Observable package final class A {}"
        )
        let test = file("Tests/FocusNetTests/A.swift", "struct A {}")
        #expect(lines(NameRule.violations(in: [one, next, test])) == [5])
    }

    @Test("a verb that can be anything, in the programs")
    func vagueVerbs() {
        let text =
            "func keep(_ one: Int) {}\nfunc keepAlive() {}\nprivate func carryOut<A>(_ one: A) {}\nlook()"
        #expect(lines(NameRule.vagueVerbs(in: file("Client/FocusLink/A.swift", text))) == [1, 3])
        #expect(NameRule.vagueVerbs(in: file("Simulation/Simulation/A.swift", text)) == [])
    }

    @Test("what is printed below the edge")
    func printing() {
        let text = """
            print("here")
            try context.print("there")
            fputs("here", stderr)
            // print("in a comment")
            let prints = "print(1)"
            try? FileDescriptor.standardError.write("here")
            """
        #expect(lines(EdgeRule.printing(file("Client/FocusAgent/A.swift", text))) == [1, 3, 6])
        #expect(lines(EdgeRule.printing(file("Sources/FocusCore/A.swift", text))) == [1, 3, 6])
        #expect(EdgeRule.printing(file("Client/FocusClient/A.swift", text)) == [])
        #expect(EdgeRule.printing(file("Simulation/simulate/main.swift", text)) == [])
    }

    @Test("a sentence below the edge")
    func sentences() {
        let text = """
            throw Failure("The log can't be read.")
            throw Failure("the log can't be read")
            // "The log can't be read."
            let name = "Europe/Berlin"
            return isIn ? "Leave the group?" : ""
            let note = "The log was upgraded. As it was, "
                + "it is kept."
            throw Failure("\\(path) is damaged. Move it away.")
            """
        let path = "Client/FocusLink/A.swift"
        #expect(lines(EdgeRule.sentences(file(path, text))) == [1, 2, 5, 6, 7, 8])
        for path in ["Server/FocusWriter/A.swift", "Server/FocusServing/A.swift"] {
            #expect(lines(EdgeRule.sentences(file(path, text))) == [1, 5, 6, 8])
        }
        #expect(EdgeRule.sentences(file("Client/FocusWords/A.swift", text)) == [])
        #expect(EdgeRule.sentences(file("Server/FocusServing/Metrics/HealthText.swift", text)) == [])
    }

    @Test("a sentence below the edge that goes over several lines, and what isn't quite one")
    func longSentences() {
        let text = """
            let remedy = \"\"\"
                The store is gone: restore
                a backup, or restart the server.
                \"\"\"
            say("hook \\(path): took longer than 10 s, and was ended")
            throw SystemError("\\(path) can't be locked")
            let header = "Content-Type: text/plain"
            say("the lock was gone, and was made anew")
            """
        #expect(lines(EdgeRule.sentences(file("Client/FocusAgent/A.swift", text))) == [1, 5, 8])
        #expect(lines(EdgeRule.sentences(file("Sources/FocusNet/A.swift", text))) == [1])
    }

    @Test("two versions of one text that a merge left, in code and in documents")
    func conflicts() {
        let text = """
            one
            <<<<<<< here
            two
            =======
            three
            >>>>>>> there
            a <<<<<<< b
            """
        #expect(lines(CodeRules.unresolvedConflicts(file("docs/a.md", text))) == [2, 6])
        #expect(lines(CodeRules.unresolvedConflicts(file("Sources/FocusNet/A.swift", text))) == [2, 6])
    }

    @Test("a test without a sentence, or switched off")
    func tests() {
        let text = """
            @Test("a sentence") func a() {}
            @Test func b() {}
            @Test(
                "a sentence", arguments: [1])
            func c() {}
            @Test(arguments: [1]) func d() {}
            @Test(
                "a sentence",
                .disabled("later"))
            func e() {}
            """
        #expect(lines(CodeRules.unnamedTests(file("Tests/FocusCoreTests/A.swift", text))) == [2, 6, 9])
    }

    @Test("work left for later, in comments of code and anywhere else")
    func leftForLater() {
        let mark = "TO" + "DO"
        #expect(lines(CodeRules.leftForLater(file("Sources/FocusCore/A.swift", "a\nb // \(mark) c"))) == [2])
        #expect(CodeRules.leftForLater(file("Sources/FocusCore/A.swift", "let a = \"\(mark)\"")) == [])
        #expect(lines(CodeRules.leftForLater(file("docs/a.md", "FIX" + "ME\nb"))) == [1])
    }

    /// Three folders of a module, in a row; with `lower`, the last one uses something, too.
    private func layers(_ lower: String, in module: String = "Sources/FocusCore") -> [SourceFile] {
        [
            file("\(module)/Upper/A.swift", "struct A {\n    let b: B\n}"),
            file("\(module)/Middle/B.swift", "struct B {\n    let c: C.D\n}"),
            file("\(module)/Lower/C.swift", "enum C {\n    \(lower)\n}"),
            file("\(module)/Top.swift", "struct Top {\n    let c: C, bottom: Bottom\n}"),
            file("\(module)/Bottom.swift", "struct Bottom {\n    let top: Top.Name\n}"),
        ]
    }

    @Test("folders that use each other, one by way of another")
    func folders() {
        let round = layers("case one(A)")
        #expect(
            FolderRule.violations(in: round).map(\.path) == [
                "Sources/FocusCore/Lower/C.swift", "Sources/FocusCore/Middle/B.swift",
                "Sources/FocusCore/Upper/A.swift",
            ])
    }

    @Test("a folder and a file beside the folders that use each other, but for modules that such a file ties")
    func beside() {
        let found = FolderRule.violations(in: layers("case top(Top)"))
        #expect(found.map(\.path) == ["Sources/FocusCore/Lower/C.swift", "Sources/FocusCore/Top.swift"])
        #expect(FolderRule.violations(in: layers("case top(Top)", in: "Client/FocusClient")) == [])
    }

    @Test(
        "folders in layers, names in comments and strings, and files beside each other",
        arguments: ["case one", "// A", "static let a = \"A\""])
    func layered(lower: String) {
        #expect(FolderRule.violations(in: layers(lower)) == [])
    }

    @Test("a folder of a module's tests that is called as none of the module's")
    func mirrors() {
        let module = [
            file("Sources/FocusStore/Group/A.swift", "struct A {}"),
            file("Sources/FocusStore/B.swift", "struct B {}"),
        ]
        func found(_ path: String) -> Int { MirrorRule.violations(in: module + [file(path, "")]).count }
        #expect(found("Tests/FocusStoreTests/Groups/ATests.swift") == 1)
        #expect(found("Tests/FocusStoreTests/Group/ATests.swift") == 0)
        #expect(found("Tests/FocusStoreTests/BTests.swift") == 0)
        #expect(found("Tests/IntegrationTests/Groups/ATests.swift") == 0)
    }

    @Test("a library that a program opens, and that its package doesn't depend on")
    func openedLibraries() {
        let list = file("deploy/loaded-libraries", "# Some.\nliba.so.1 focus focusd\nlibb.so.2 focus\n")
        let listed = LibraryRule.listed(in: list)
        func found(_ focus: String) -> [String] {
            let control =
                "Source: l\n\nPackage: lockstep-focus\nDepends: \(focus)\n\n"
                + "Package: lockstep-focusd\nDepends: liba1\n"
            return LibraryRule.violations(of: listed, in: file("deploy/debian/control", control)).map(
                \.problem)
        }
        #expect(found("liba1 (>= 3), libb2, libc6") == [])
        #expect(found("liba12, libb2") == ["lockstep-focus doesn't depend on liba1, which it opens"])
        #expect(found("libc6").count == 2)
        let image = file("deploy/Containerfile", "RUN apt-get install liba12 && true\n")
        #expect(
            LibraryRule.violations(of: listed, inImage: image).map(\.problem) == [
                "the image lacks liba1, which focusd opens"
            ])
        let opening = file("Sources/A/B.swift", "let a = try SharedLibrary(\"liba.so.1\")")
        #expect(LibraryRule.opened(in: [opening]) == ["liba.so.1"])
    }
}
