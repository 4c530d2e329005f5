import CommandLineKit
import Testing

@Suite("Completion")
struct CompletionTests {
    private func offer(_ words: String...) -> Completion<SampleInvocation>.Offer {
        Completion(sample).offer(for: words)
    }

    /// Returns the offered words, without their descriptions.
    private func words(_ typed: String...) -> [String]? {
        guard case .words(let words) = Completion(sample).offer(for: typed) else { return nil }
        return words.map(\.word)
    }

    @Test("first come the commands, but for those that nobody types, and help")
    func commands() {
        #expect(
            words("") == [
                "start", "add", "status", "listen", "read", "devices", "group", "open", "completion", "help",
            ])
        #expect(words() == words(""))
        #expect(words("devices", "") == ["revoke"])
        #expect(words("group", "") == ["list"])
        #expect(
            words("help", "") == [
                "start", "add", "status", "listen", "read", "devices", "group", "open", "completion",
            ])
        #expect(words("help", "devices", "") == ["revoke"])
        #expect(words("help", "nonsense", "") == [])
        #expect(offer("devices", "") == .words([CompletionItem("revoke", "shut one out")]))
    }

    @Test("where a dash is typed come the options that can still be given")
    func options() {
        #expect(words("-") == ["--help", "--version"])
        #expect(words("start", "-") == ["--ago", "--help"])
        #expect(words("start", "--ago", "5m", "--") == ["--help"])
        #expect(words("start", "--ago=5m", "-") == ["--help"])
        #expect(words("listen", "--address", "a", "-") == ["--address", "--port", "--help"])
        #expect(words("devices", "--json", "-") == ["--help"])
        #expect(words("start", "X", "") == ["--ago", "--help"])
    }

    @Test("after an option comes its value, and after an equals sign too")
    func values() {
        #expect(words("status", "--bar", "") == ["waybar", "polybar", "tmux"])
        #expect(words("status", "--bar=") == ["--bar=waybar", "--bar=polybar", "--bar=tmux"])
        #expect(words("status", "--bar=w") == ["--bar=waybar", "--bar=polybar", "--bar=tmux"])
        #expect(words("start", "--ago", "") == [])
        #expect(words("start", "--nonsense=") == [])
        #expect(offer("open", "--in", "") == .folder)
        #expect(offer("open", "--in=") == .folder)
    }

    @Test("each argument has its own place")
    func arguments() {
        #expect(offer("open", "") == .file)
        #expect(offer("open", "a", "") == .known("colours", prefix: ""))
        #expect(offer("open", "--in", "x", "a", "") == .known("colours", prefix: ""))
        #expect(offer("open", "a", "--colour=") == .words([]))
        #expect(words("open", "a", "b", "") == ["big=", "name="])
        #expect(words("open", "a", "b", "big=yes", "") == ["big=", "name="])
        #expect(words("open", "a", "b", "big=") == ["big=yes", "big=no"])
        #expect(words("open", "a", "b", "name=") == [])
        #expect(words("open", "a", "b", "nonsense=") == [])
    }

    @Test("after two dashes all words are arguments")
    func dashes() {
        #expect(offer("open", "--", "") == .file)
        #expect(offer("open", "--", "-") == .file)
        #expect(offer("open", "--", "--in", "") == .known("colours", prefix: "", isAfterDashes: true))
        #expect(words("start", "--", "X", "") == [])
        #expect(words("add", "-5m", "") == ["--help"])
    }

    @Test("an answer is lines; what could be taken for more than a word is left out")
    func answers() {
        func text(_ offer: Completion<SampleInvocation>.Offer, _ known: [String] = []) -> String {
            CompletionAnswer.text(offer) { $0 == "names" ? known : [] }
        }
        #expect(text(.file) == "file\n")
        #expect(text(.folder) == "folder\n")
        #expect(text(.words([CompletionItem("a", "first"), CompletionItem("b")])) == "words\na\tfirst\nb\n")
        let known = [
            "a b", "c\nd", "e\tf", "g\r\nh", "i\u{2028}j", "\u{1B}k", "l\u{202E}m", "\u{2066}n\u{2069}",
        ]
        #expect(text(.known("names", prefix: "--x="), known) == "words\n--x=a b\n")
        #expect(text(.known("others", prefix: "")) == "words\n")
        let dashed = ["--watch", "-x y", "-", "-5m", "a --b"]
        #expect(text(.known("names", prefix: ""), dashed) == "words\n-\n-5m\na --b\n")
        let all = "words\n--watch\n-x y\n-\n-5m\na --b\n"
        #expect(text(.known("names", prefix: "", isAfterDashes: true), dashed) == all)
    }

    @Test("a script is for one program, and asks it", arguments: Shell.allCases)
    func scripts(shell: Shell) throws {
        let text = CompletionScript.text(for: shell, program: "sample")
        #expect(text.contains("command sample complete -- "))
        #expect(!text.contains("PROGRAM") && !text.contains("QUERY"))
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    }
}
