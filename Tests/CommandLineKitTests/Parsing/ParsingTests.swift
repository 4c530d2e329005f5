import CommandLineKit
import SystemKit
import Testing

@Suite("Reading a command line")
struct ParsingTests {
    @Test(
        "arguments and options come in any order, with values of their own or none",
        arguments: [
            ([], .view), (["start"], .start(label: nil, ago: nil)),
            (["start", "Write", "--ago", "5m"], .start(label: "Write", ago: .seconds(300))),
            (["start", "--ago", "5m", "Write"], .start(label: "Write", ago: .seconds(300))),
            (["start", "--ago=5m", "Write"], .start(label: "Write", ago: .seconds(300))),
            (["status"], .status(json: false, format: nil, bar: nil)),
            (["listen"], .listen(addresses: [], port: nil)),
            // A value is all that follows the first equals sign, even nothing.
            (["status", "--format={a}={b}"], .status(json: false, format: "{a}={b}", bar: nil)),
            (["status", "--format="], .status(json: false, format: "", bar: nil)),
            (["status", "--format=--json"], .status(json: false, format: "--json", bar: nil)),
            // A dash and a digit begin an argument, and a dash by itself is one.
            (["add", "-5m"], .add(.seconds(-300))), (["read", "-"], .read(files: ["-"])),
            (["status", "--format", "-"], .status(json: false, format: "-", bar: nil)),
            // After two dashes every word is an argument.
            (["start", "--", "--ago"], .start(label: "--ago", ago: nil)),
            (["read", "a", "--", "--help", "--"], .read(files: ["a", "--help", "--"])),
            (
                ["listen", "--address", "a", "--port", "80", "--address=b"],
                .listen(addresses: ["a", "b"], port: "80")
            ),
            (["devices", "--json"], .devices(json: true)),
            (["devices", "revoke", "laptop"], .revoke(name: "laptop")),
        ] as [([String], SampleInvocation)])
    func read(words: [String], expected: SampleInvocation) throws {
        #expect(try invocation(words) == expected)
    }

    @Test("a path may be any bytes, and what is no path is text")
    func bytes() throws {
        let word = SystemText.string([0x63, 0xE9])
        #expect(try invocation("open", word) == .open(file: word, colour: nil, folder: nil, []))
        #expect(try invocation("start", word) == .start(label: "c\u{FFFD}", ago: nil))
    }

    @Test("help and version are shown wherever they are asked for, even beside mistakes")
    func helpAndVersion() throws {
        #expect(try shown("--version") == "sample 1.2.3\n")
        #expect(try shown("start", "--help")?.hasPrefix("Usage: sample start") == true)
        #expect(try shown("start", "--nonsense", "-h") == shown("start", "--help"))
        #expect(try shown("devices", "revoke", "--help")?.hasPrefix("Usage: sample devices revoke") == true)
        #expect(complaint("start", "--version") != nil)
    }

    @Test("'help' before a command is '--help' after it")
    func helpFirst() throws {
        #expect(try shown("help") == shown("--help"))
        #expect(try shown("help", "help") == shown("--help"))
        #expect(try shown("help", "devices", "revoke") == shown("devices", "revoke", "--help"))
        #expect(try shown("help", "start", "--", "x") == shown("start", "--help"))
        #expect(try shown("help", "--json") == shown("--help"))
    }

    @Test(
        "what is wrong is named, with what was probably meant",
        arguments: [
            (["strat"], "There is no command 'sample strat'. Did you mean 'start'?"),
            (["wholly-different"], "There is no command 'sample wholly-different'."),
            (
                ["devices", "revok", "x"],
                "There is no command 'sample devices revok'. Did you mean 'revoke'?"
            ),
            (["help", "strat"], "There is no command 'sample strat'. Did you mean 'start'?"),
            (["help", "devices", "x"], "There is no command 'sample devices x'."),
            (["hlep", "start"], "There is no command 'sample hlep'. Did you mean 'help'?"),
            (["group"], "'sample group' needs a command."),
            (["status", "--jsno"], "There is no option '--jsno' here. Did you mean '--json'?"),
            (["status", "-j"], "There is no option '-j' here."),
            (["start", "-x"], "There is no option '-x' here. Before text that begins with '-' put '--'."),
            (["status", "--formt=x"], "There is no option '--formt' here. Did you mean '--format'?"),
            (["status", "--json=yes"], "--json takes no value."),
            (["status", "--format"], "--format needs a value: --format F."),
            (
                ["status", "--format", "--json"],
                "--format needs a value: --format F, or --format=… if it begins with '-'."
            ),
            (["status", "--format", "a", "--format", "b"], "--format is given more than once."),
            (["status", "--json", "--format", "a"], "--json and --format don't go together."),
            (["status", "now"], "Unexpected argument 'now'."),
            (["add", "-", "5m"], "Unexpected argument '5m'."),
            (
                ["start", "write", "it"],
                "Unexpected argument 'it'. Put quotes around text of several words."
            ),
            (["devices", "revoke"], "NAME is missing."),
            (["devices", "revoke", ""], "NAME: '' is empty."),
            (["read"], "FILE is missing."),
            (
                ["status", "--bar", "wayber"],
                "--bar: 'wayber' isn't one of waybar, polybar, tmux. Did you mean 'waybar'?"
            ),
            (
                ["start", "--ago", "soon"],
                "--ago: 'soon' is not a duration. \(DurationText.rule)"
            ),
            (["add", "0"], "'0' is no time: nothing would change."),
            (["add", "+0"], "'+0' is no time: nothing would change."),
            (["add", "-0m"], "'-0m' is no time: nothing would change."),
            (["add", "25h"], "'25h' is not between -24h and 24h."),
        ])
    func mistakes(words: [String], message: String) {
        #expect(complaint(words)?.message == message)
    }

    @Test("an error says which command's help to read")
    func hints() {
        #expect(complaint("strat")?.hint == "See 'sample --help'.")
        #expect(complaint("devices", "revoke")?.hint == "See 'sample devices revoke --help'.")
    }
}
