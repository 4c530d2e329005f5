import ClientSupport
import CommandLineKit
import TestSupport
import Testing

@Suite("focus profile")
struct ProfileCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    @Test("the list shows names and values, and which are in use")
    func list() {
        let builtIn = """
            classic  25m work, 5m and 15m breaks, a long one after 4  (in use)
            long     50m work, 10m and 20m breaks, a long one after 3

            """
        #expect(laptop.run("profile").output == builtIn)
        #expect(home.files == [])
        let json = laptop.run("profile --json").output
        #expect(json.hasPrefix(#"{"profiles":[{"name":"classic","workLength":1500,"shortBreakLength":300,"#))
        #expect(json.hasSuffix(#"],"inUse":["classic"]}"# + "\n"))
    }

    @Test("a profile is used, saved and removed, and undone in one step")
    func changes() {
        #expect(
            laptop.run("profile long").output == """
                The profile long is in use: 50m work, 10m and 20m breaks, a long one after 3
                Work  50:00  (stopped)

                """)
        _ = laptop.run("set workLength=90m")
        #expect(
            laptop.run("profile save deep").output.hasPrefix("Saved as deep: 1h30m work, 10m and 20m breaks"))
        #expect(laptop.run("profile").output.contains("deep     1h30m work"))
        #expect(laptop.run("profile classic").output.hasPrefix("The profile classic is in use: 25m work"))
        #expect(laptop.run("undo").messages.contains("Took back the profile 'classic'"))
        #expect(laptop.run("set workLength").output == "workLength=1h30m\n")
        #expect(laptop.run("profile remove deep").status == .done)
        #expect(!laptop.run("profile").output.contains("deep"))
    }

    @Test("a profile that isn't there, or can't be changed, is named with the remedy")
    func refused() {
        let refused = laptop.run("profile deep")
        #expect(refused.status == .notNow)
        #expect(refused.messages.contains("There is no profile 'deep'. 'focus profile' lists them."))
        #expect(laptop.run("profile save long").messages.contains("'long' can't be saved or removed"))
        #expect(laptop.run(["profile", "save", "a\tb\u{1B}"]).output.hasPrefix("Saved as ab: "))
        #expect(laptop.run("profile save").messages.contains("NAME is missing."))
        #expect(laptop.run("profile deep work").messages.contains("Only 'save' and 'remove' take two words."))
        #expect(laptop.run("profile long --json").messages.contains("--json lists the profiles"))
        let long = String(repeating: "x", count: 41)
        #expect(laptop.run("profile save \(long)").messages.contains("has 1 to 40 characters"))
    }
}
