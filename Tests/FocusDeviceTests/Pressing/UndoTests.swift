import ClientSupport
import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("Undo and redo")
struct UndoTests {
    private let home = TemporaryHome()

    init() { BerlinTime.set() }

    /// Returns the laptop at 19:00 in Berlin.
    private func laptop(_ reply: Reply? = nil) -> TestContext {
        TestContext(home: home.path, replies: reply.map { [$0] } ?? [], now: 1_763_661_600_000)
    }

    @Test("undo doesn't take back a log's first settings")
    func firstSettings() {
        let laptop = laptop()
        _ = laptop.run("start")
        #expect(laptop.run("undo").messages == "focus: Took back the start (just now).\n")
        #expect(laptop.run("undo").status == .notNow)
        #expect(laptop.run("set idleLimit").output.contains("4h"))
    }

    @Test("undo says what it took back, and redo brings it back")
    func takeBack() {
        let laptop = laptop()
        _ = laptop.run("start Write")
        laptop.pass(.seconds(60))
        _ = laptop.run("pause")
        laptop.pass(.seconds(30))
        let undo = laptop.run("undo")
        #expect(
            undo
                == .init(
                    status: .done, output: "Work  23:30  until 19:25  Write\n",
                    messages: "focus: Took back the pause (30s ago).\n"))
        let redo = laptop.run("redo")
        #expect(
            redo
                == .init(
                    status: .done, output: "Work paused  24:00  would end 19:25  Write\n",
                    messages: "focus: Took back the undo (just now).\n"))
    }

    @Test("undo names time that was added or taken away") func addedTime() {
        let laptop = laptop()
        _ = laptop.run("start")
        _ = laptop.run("add 5m")
        _ = laptop.run("add -90s")
        #expect(laptop.run("undo").messages == "focus: Took back the removed 1m30s (just now).\n")
        #expect(laptop.run("undo").messages == "focus: Took back the added 5m (just now).\n")
    }

    @Test("undo names a start that lies ahead, and a break that began a session")
    func otherStarts() {
        let laptop = laptop()
        _ = laptop.run("start --at 20:00")
        #expect(laptop.run("undo").messages == "focus: Took back the planned start (just now).\n")
        _ = laptop.run("break")
        #expect(laptop.run("undo").messages == "focus: Took back the break (just now).\n")
    }

    @Test("undo asks before it takes back a backdated done with phases that ended since, but not a plain one")
    func backdatedDone() {
        let laptop = laptop()
        _ = laptop.run("start")
        laptop.pass(.seconds(1200))
        _ = laptop.run("done --ago 10m")
        laptop.pass(.seconds(60))
        let undo = laptop.run("undo")
        #expect(undo.status == .notNow)
        #expect(undo.messages.contains("takes 2 completed phases out of the history"))
        #expect(laptop.run("undo --yes").status == .done)
        _ = laptop.run("done")
        #expect(laptop.run("undo").status == .done)
    }

    /// Starts a session, stops it after 10 minutes, and lets 2 hours pass.
    private func stopLongAgo(_ laptop: TestContext) {
        _ = laptop.run("start")
        laptop.pass(.seconds(600))
        _ = laptop.run("stop")
        laptop.pass(.seconds(7200))
    }

    /// The undo would add the missing 15 minutes of the first work phase, then three work phases, three short
    /// breaks and a long break.
    private let claim = "the stop (2h ago) adds 7 phases to the history, 1h30m of focus time."

    @Test("without a terminal, an undo that would add hours to the history is refused")
    func refused() {
        let laptop = laptop()
        stopLongAgo(laptop)
        let result = laptop.run("undo")
        #expect(
            result
                == .init(
                    status: .notNow, output: "",
                    messages: "focus: Undoing \(claim) Use --yes to do it anyway.\n"))
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
    }

    @Test("a late press is undone without a question")
    func toldOf() throws {
        let laptop = laptop()
        stopLongAgo(laptop)
        let device = try Device(laptop.machine)
        let stop = try #require(try device.store.state().lastChange?.id)
        try device.store.setLatePress(stop)
        #expect(laptop.run("undo").status == .done)
        #expect(laptop.run("status").output.hasPrefix("Work  "))
        #expect(!laptop.run("status").output.contains("stopped"))
    }

    @Test(
        "on a terminal it asks, and does what the person says",
        arguments: [.line("y"), .line("Yes"), .line("n"), .line(""), .ended] as [Reply])
    func asked(reply: Reply) {
        let laptop = laptop(reply)
        stopLongAgo(laptop)
        let result = laptop.run("undo")
        #expect(laptop.questions == ["Undoing \(claim) Do it? [y/N] "])
        if [.line("y"), .line("Yes")].contains(reply) {
            #expect(result.status == .done)
            #expect(result.output == "Work  25:00  until 21:35\n")
        } else {
            #expect(result == .init(status: .notNow, output: "", messages: "focus: Nothing was changed.\n"))
            #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
        }
    }

    @Test("--yes skips the question")
    func yes() {
        let laptop = laptop(.line("n"))
        stopLongAgo(laptop)
        #expect(laptop.run("undo --yes").output == "Work  25:00  until 21:35\n")
        #expect(laptop.questions == [])
    }

    @Test("a press that didn't stop the timer is undone without asking, even hours later")
    func nothingClaimed() {
        let laptop = laptop()
        _ = laptop.run("start")
        _ = laptop.run("label Write")
        laptop.pass(.seconds(2 * 3600 + 600))
        let result = laptop.run("undo")
        #expect(result.messages == "focus: Took back the label 'Write' (2h10m ago).\n")
        #expect(result.output == "Work  25:00  until 21:35\n")
    }

    @Test("a redo that would add hours to the history asks too")
    func redo() {
        let laptop = laptop()
        _ = laptop.run("start")
        _ = laptop.run("undo")
        laptop.pass(.seconds(7200))
        let result = laptop.run("redo")
        #expect(result.status == .notNow)
        #expect(result.messages.hasPrefix("focus: Undoing the undo (2h ago) adds "))
        #expect(laptop.run("redo --yes").status == .done)
    }

    @Test("an undo that takes completed phases out of the history asks first, and says how many")
    func loses() {
        let laptop = laptop()
        _ = laptop.run("start")
        laptop.pass(.seconds(3_600))
        let result = laptop.run("undo")
        #expect(result.status == .notNow)
        #expect(
            result.messages
                == "focus: Undoing the start (1h ago) takes 4 completed phases out of the history, 50m of focus time. Use --yes to do it anyway.\n"
        )
        #expect(laptop.run("undo --yes").output == "Work  25:00  (stopped)\n")
    }

    @Test("an undo of a stop in overtime says that the phase goes on")
    func goesOn() {
        let laptop = laptop()
        laptop.play(("set overtime=on", 0), ("start", 1_560), ("stop", 0))
        #expect(laptop.run("undo").messages.contains("the stop (just now) lets that phase go on"))
    }

    @Test("an added entry is undone and redone without asking")
    func entries() {
        let laptop = laptop()
        laptop.pass(.seconds(3_600))
        _ = laptop.run("log add Read --for 25m")
        laptop.pass(.seconds(60))
        #expect(laptop.run("undo").status == .done)
        #expect(laptop.run("redo").status == .done)
    }

    @Test("undoing another laptop's press of a moment ago asks first and names the press")
    func others() throws {
        let laptop = laptop()
        _ = laptop.run("start Write")
        laptop.pass(.seconds(60))
        let store = try Device(laptop.machine).store
        let now = laptop.context.clocks.wall()
        var desk = LogScript()
        desk.add(.device(name: "desk", key: nil), now, by: .b)
        desk.pause(try #require(try store.state().current?.id), now, by: .b)
        _ = try store.merge(desk.events.map { StoredEvent($0, epoch: nil) }, acknowledged: true)
        laptop.pass(.seconds(3))
        let result = laptop.run("undo")
        #expect(
            result.messages
                == "focus: Undoing the pause pressed on desk (3s ago) takes back what was done there a moment ago. Use --yes to do it anyway.\n"
        )
        laptop.pass(.seconds(7))
        #expect(laptop.run("undo").messages == "focus: Took back the pause pressed on desk (10s ago).\n")
    }
}
