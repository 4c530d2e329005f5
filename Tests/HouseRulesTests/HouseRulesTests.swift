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
            ImportRule.violations, CodeRules.tooLong, CodeRules.bannedCalls, CodeRules.unprovenPromises,
            CodeRules.unnamedTests, CodeRules.leftForLater,
        ] as [@Sendable (SourceFile) -> [Violation]])
    func swiftFiles(rule: @Sendable (SourceFile) -> [Violation]) throws {
        #expect(try Repository.swiftFiles().flatMap(rule) == [])
    }

    @Test("nothing is left for later in scripts and documents")
    func otherTexts() throws {
        #expect(try Repository.otherTexts().flatMap(CodeRules.leftForLater) == [])
    }

    @Test("every target of the package has a row in the table of imports")
    func targetsAreKnown() throws {
        let targets = Set(try Repository.swiftFiles().filter { !$0.isTest }.compactMap(\.target))
        #expect(targets == Set(ImportRule.allowed.keys))
    }
}
