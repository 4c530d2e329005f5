import Testing

@Suite("House rules")
struct HouseRulesTests {
    @Test("the repository's files are found")
    func filesAreFound() throws {
        let paths = Set(try Repository.swiftFiles().map(\.path))
        #expect(paths.contains("Sources/FocusCore/Events/Event.swift"))
        #expect(paths.contains("Client/focus/main.swift"))
        #expect(paths.contains("Tests/HouseRulesTests/HouseRulesTests.swift"))
        #expect(try Repository.otherTexts().map(\.path).contains("scripts/setup"))
    }

    @Test(
        "every Swift file keeps the rule",
        arguments: [
            ImportRule.violations, CodeRules.tooLong, CodeRules.undocumented, CodeRules.untypedTime,
            CodeRules.bannedCalls,
            CodeRules.unprovenPromises,
            CodeRules.unnamedTests, CodeRules.leftForLater, CodeRules.unresolvedConflicts,
            EdgeRule.printing, EdgeRule.sentences, PhraseRule.violations, NameRule.vagueVerbs,
        ] as [@Sendable (SourceFile) -> [Violation]])
    func swiftFiles(rule: @Sendable (SourceFile) -> [Violation]) throws {
        expectNone(try Repository.swiftFiles().flatMap(rule))
    }

    /// Expects no violations. A failure shows each one on a line of its own.
    private func expectNone(_ violations: [Violation]) {
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }

    @Test(
        "the Swift files together keep the rule",
        arguments: [
            NameRule.violations, FolderRule.violations, MirrorRule.violations, ExpectationRule.violations,
            CodeRules.fragments,
        ] as [@Sendable ([SourceFile]) -> [Violation]])
    func together(rule: @Sendable ([SourceFile]) -> [Violation]) throws {
        expectNone(rule(try Repository.swiftFiles()))
    }

    @Test("nothing is left for later, nor any conflict of a merge, in scripts and documents")
    func otherTexts() throws {
        let texts = try Repository.otherTexts()
        expectNone(texts.flatMap(CodeRules.leftForLater) + texts.flatMap(CodeRules.unresolvedConflicts))
    }

    @Test("every link in a document leads to a file or a heading")
    func links() throws { expectNone(LinkRule.violations(try Repository.otherTexts())) }

    @Test("what the package's targets depend on is found")
    func dependencies() throws {
        let targets = Set(try Repository.swiftFiles().filter { !$0.isTest }.compactMap(\.target))
        #expect(targets.subtracting(ImportRule.dependencies.keys) == [])
        #expect(ImportRule.dependencies["FocusSync"] == ["FocusCore"])
        #expect(ImportRule.dependencies["SystemKit"] == [])
        #expect(ImportRule.dependencies["FocusNet"] == ["FocusSync", "SystemKit", "CLibUV", "COpenSSL"])
    }

    @Test("what the programs open as they run comes with them")
    func openedLibraries() throws {
        let texts = try Repository.otherTexts()
        let list = try #require(texts.first { $0.path == "deploy/loaded-libraries" })
        let control = try #require(texts.first { $0.path == "deploy/debian/control" })
        let listed = LibraryRule.listed(in: list)
        #expect(Set(listed.map(\.library)) == LibraryRule.opened(in: try Repository.swiftFiles()))
        expectNone(LibraryRule.violations(of: listed, in: control))
        let image = try #require(texts.first { $0.path == "deploy/Containerfile" })
        expectNone(LibraryRule.violations(of: listed, inImage: image))
    }

    @Test("every command that a message names is one that its program takes as it stands there")
    func commands() throws {
        let files = try Repository.swiftFiles() + Repository.pageFiles()
        expectNone(files.flatMap(CommandRule.violations))
        let messages = files.filter { $0.path.hasPrefix("Client/") || $0.path.hasPrefix("Server/") }
        #expect(messages.flatMap(CommandRule.commands).count > 120)
    }

    @Test("every test that the threat model names is there")
    func claims() throws {
        let model = try #require(try Repository.otherTexts().first { $0.path == "docs/threat-model.md" })
        let rows = model.text.split(separator: "\n").filter { $0.hasPrefix("|") }.joined(separator: "\n")
        let names = rows.matches(of: /"[^"]+"/).map { String($0.output) }
        #expect(names.count > 40)
        let tests = try Repository.swiftFiles().filter(\.isTest).map(\.text).joined()
        #expect(names.filter { !tests.has($0) } == [])
    }
}
