import CommandLineKit
import TestSupport
import Testing

@Suite("The manual")
struct ManualTests {
    private let release = Release(name: "Sample 1.2.3", date: "2025-11-20")

    @Test("a program's page is the recorded one")
    func program() {
        let page = sample.manual(1, [ManualPage.Section("See also", [.text("`other`(1)")])])
        #expect(page.fileName == "sample.1")
        #expect(Golden.difference(page.roff(release), "sample.1") == nil)
    }

    @Test("how a value is written is said once, also if two parameters of one command are written so")
    func notes() {
        let program = Program(
            Command(
                "wait", "wait", .argument("A", .duration(), "first"), .argument("B", .duration(), "then")
            ) { _, _ in 1 }, version: "1")
        let values = program.manual(1, []).sections.first { $0.title == "Values" }
        #expect(values?.blocks.count == 1)
    }

    @Test("a page of prose is the recorded one: nothing in it is taken for the formatter's language")
    func prose() {
        let page = ManualPage(
            "sample-files", 7, "files of \"sample\"",
            [
                ManualPage.Section(
                    "What \\ is",
                    [
                        .text(
                            ".PP begins this line, and `--bold` and *italics* don't end: 5*3, 'quoted', a\\b ~x ^y."
                        ),
                        .text("'single'"), .lines(["$ sample --json", ".hidden", "", "'x'"]),
                        .title("Below"), .text("Text."),
                        .entries([
                            ManualPage.Entry("`.term`", "It is this."),
                            ManualPage.Entry(
                                "*TWO*",
                                [
                                    .text("One paragraph."), .text("Another."), .lines(["a line"]),
                                    .entries([ManualPage.Entry("inner", "Within.")]), .text("After."),
                                ]),
                        ]),
                        .text("The end."),
                    ])
            ])
        #expect(Golden.difference(page.roff(release), "sample-files.7") == nil)
    }

    @Test("pages are listed and printed by the names of their files")
    func requests() throws {
        let pages = [sample.manual(1, []), ManualPage("sample-files", 7, "files", [])]
        func answer(_ request: ShellRequest) throws -> String {
            try sample.answer(request, release: release, pages: pages) { _ in [] }
        }
        #expect(try answer(.manual(nil)) == "sample.1\nsample-files.7\n")
        #expect(
            try answer(.manual("sample-files.7")).hasPrefix(
                ".TH \"SAMPLE\\-FILES\" 7 2025-11-20 \"Sample 1.2.3\"\n"))
        #expect(throws: CommandFailure("There is no page 'sample.7'. Did you mean 'sample.1'?", .usage)) {
            try answer(.manual("sample.7"))
        }
    }

    @Test("commands for shells and packages are in no help and no completion")
    func hidden() throws {
        #expect(try shown("--help")?.contains("manual") == false)
        #expect(try shown("manual", "--help")?.contains("Print a page") == true)
        #expect(complaint("manua")?.message == "There is no command 'sample manua'.")
        #expect(try invocation("complete", "--", "start", "--") == .shell(.complete(["start", "--"])))
        #expect(try invocation("manual") == .shell(.manual(nil)))
        #expect(try invocation("completion", "fish") == .shell(.script(.fish)))
    }
}
