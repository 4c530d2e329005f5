import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("focus clock")
struct ClockCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() {
        BerlinTime.set()
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
    }

    @Test(
        "a solo laptop times correctly after a press ahead of now, and 'clock accept' brings the press back",
        arguments: [Duration.seconds(9 * 3600), .seconds(6 * 365 * 86_400)])
    func lone(lead: Duration) throws {
        laptop.set { $0.wall += lead }
        _ = laptop.run("start Morning")
        laptop.set { $0.wall -= lead }
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
        let told = laptop.run("start Real").messages
        #expect(told.contains("'focus clock accept' brings them back to now"), "\(told)")
        laptop.pass(.seconds(3))
        #expect(laptop.run("status").output == "Work  24:57  until 19:25  Real\n")
        _ = laptop.run("stop")
        #expect(laptop.run("log --json").output.contains("Real"))
        let before = laptop.run("export").output

        let accepted = laptop.run("clock accept")
        #expect(
            accepted.status == .done
                && accepted.output.contains("3 changes from the future were brought back")
        )
        #expect(accepted.messages == "")
        #expect(
            laptop.run("clock").output
                == "Sessions use this laptop's clock.\nNothing in the log is ahead of it.\n")
        #expect(
            laptop.run("status") == .init(status: .done, output: "Work  25:00  (stopped)\n", messages: ""))
        let device = try Device(laptop.machine)
        let now = try device.now()
        let events = try device.store.allStoredEvents()
        #expect(events.allSatisfy { $0.stamp.time <= now })
        #expect(laptop.run("log --json").output.contains("Real"))
        let copy = try #require(home.files.first { $0.hasPrefix("ahead-") })
        let kept = TestContext(home: "\(home.path)/\(copy.split(separator: "/")[0])", now: 1_763_661_700_000)
        #expect(kept.run("export").output == before)
        #expect(laptop.run("clock accept").output == "Nothing in the log is ahead of it.\n")
    }

    @Test("sentences and help are no wider than the terminal", arguments: [("clock", 20), ("help join", 40)])
    func width(words: String, columns: Int) {
        _ = laptop.run("start Morning")
        let narrow = TestContext(
            home: home.path, now: 1_763_661_600_000, screen: .init(columns: columns, isTerminal: true))
        let lines = narrow.run(words).output.split(separator: "\n")
        #expect(lines.count > 2 && lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }

    @Test("a session timed by a clock that was ahead keeps its length after 'clock accept'")
    func length() {
        laptop.set { $0.wall += .seconds(9 * 3600) }
        laptop.play(("start Morning", 600), ("stop", 0))
        laptop.set { $0.wall -= .seconds(9 * 3600) }
        #expect(laptop.run("stats").output.contains("10m") == false)
        _ = laptop.run("clock accept")
        #expect(laptop.run("log").output.contains("Morning"))
        #expect(laptop.run("stats").output.contains("10m"))
    }
}
