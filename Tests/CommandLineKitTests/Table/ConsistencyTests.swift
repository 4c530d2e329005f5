import CommandLineKit
import Testing

@Suite("A table that makes sense")
struct ConsistencyTests {
    @Test("the sample table has nothing wrong with it")
    func sampleTable() {
        #expect(sample.inconsistencies() == [])
    }

    @Test("each mistake in a table is found")
    func mistakes() {
        let text = ArgumentType<String>.text("T")
        let commands: [Command<Int>] = [
            Command("twice", "one") { 1 },
            Command("twice", "other") { 1 },
            Command("help", "what the program knows by itself") { 1 },
            Command("options", "", .flag("help", "shown already"), .flag("a", "x")) { _, _ in 1 },
            Command("order", "wrong", .optionalArgument("A", text, "x"), .argument("B", text, "x")) { _, _ in
                1
            },
            Command("rest", "wrong", .rest("A", text, "x"), .optionalArgument("B", text, "x")) { _, _ in 1 },
            Command(
                "both", "arguments and commands", .argument("A", text, "x"),
                sections: [CommandSection([Command("below", "one below") { 1 }])]
            ) { _ in 1 },
        ]
        let broken = Program(
            Command("broken", "a summary with a full stop.", sections: [CommandSection(commands)]),
            version: "1")
        #expect(
            broken.inconsistencies() == [
                "broken: two commands are called twice",
                "broken: two commands are called help",
                "broken: a summary is empty or ends in a full stop: 'a summary with a full stop.'",
                "broken options: two options are called --help",
                "broken options: a summary is empty or ends in a full stop: ''",
                "broken order: B must be there, A before it need not",
                "broken rest: B comes after A, which takes all that is left",
                "broken both: A can't be told from a command",
            ])
    }
}
