import ClientSupport
import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import TestSupport
import Testing

/// The messages about a press that reaches back less far than was asked for.
@Suite("A press of a while ago that is cut short")
struct BackdatingTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private static let start: SharedInstant = 1_763_661_600_000

    /// Returns the sentence about the work that a stop as of `ago` takes away.
    private static func lost(_ ago: String) -> String {
        "The session had ended by itself. As of \(ago) ago, 2 work phases don't count as completed."
    }

    init() { laptop = TestContext(home: home.path, now: BackdatingTests.start) }

    /// Merges events that a laptop named "home" has written.
    private func homePresses(_ body: (inout LogScript, RunID?, _ now: SharedInstant) -> Void) throws {
        let device = try Device(laptop.machine)
        let now = try device.now()
        var log = LogScript()
        log.add(.device(name: "home", key: nil, publicKey: nil), now, by: .b)
        body(&log, try device.store.state().current?.id, now)
        _ = try device.store.merge(log.events.map { StoredEvent($0, epoch: nil) }, acknowledged: true)
    }

    /// Runs a press, and returns its messages.
    private func said(_ words: String) -> String {
        let result = laptop.run(words)
        return result.status == .done ? result.messages : "\(result)"
    }

    @Test("on a terminal it is asked about first: a no changes nothing, and a yes says from when it counts")
    func asked() throws {
        _ = laptop.run("start")
        laptop.pass(.seconds(300))
        for (reply, status, isRunning) in [("n", ExitStatus.notNow, true), ("y", .done, false)] {
            let person = TestContext(
                home: home.path, replies: [.line(reply)], now: BackdatingTests.start + 300_000)
            let result = person.run("stop --ago 10h")
            #expect(result.status == status)
            #expect(
                person.questions == [
                    "It would count from 5m ago instead of 10h ago: not before the start pressed on this laptop. "
                        + "Do it? [y/N] "
                ])
            #expect(laptop.run("status").output.contains("stopped") != isRunning)
        }
    }

    @Test("a stop before a session ended by itself that takes completed work away is asked about first")
    func takesCompleted() {
        laptop.play(("set idleLimit=1h", 0), ("start", 2 * 3600))
        let now = BackdatingTests.start + 7_200_000
        let person = TestContext(home: home.path, replies: [.line("n"), .line("y")], now: now)
        #expect(person.run("stop --ago 110m").status == .notNow)
        #expect(person.run("log").output.contains("2 of 8 work phases"))
        #expect(person.run("stop --ago 110m").status == .done)
        let question = "\(BackdatingTests.lost("1h50m")) Do it? [y/N] "
        #expect(person.questions == Array(repeating: question, count: 2))
        #expect(person.run("log").output.contains("0 of 8 work phases"))
    }

    @Test("a stop that takes completed work away and is cut short asks about both, and each may be denied")
    func bothAsked() {
        laptop.play(("set idleLimit=1h", 0), ("start", 2 * 3600))
        let questions = [
            "\(BackdatingTests.lost("10h")) Do it? [y/N] ",
            "It would count from 2h ago instead of 10h ago: not before the start pressed on this laptop. "
                + "Do it? [y/N] ",
        ]
        let now = BackdatingTests.start + 7_200_000
        for lines in [["n"], ["y", "n"], ["y", "y"]] {
            #expect(laptop.run("log").output.contains("2 of 8 work phases"))
            let person = TestContext(home: home.path, replies: lines.map { .line($0) }, now: now)
            #expect(person.run("stop --ago 10h").status == (lines == ["y", "y"] ? .done : .notNow))
            #expect(person.questions == Array(questions.prefix(lines.count)))
        }
        #expect(!laptop.run("log").output.contains("2 of 8 work phases"))
    }

    @Test("without a terminal such a stop is carried out, and said")
    func takesCompletedUnasked() throws {
        laptop.play(("set idleLimit=1h", 0), ("start", 2 * 3600))
        let device = try Device(laptop.machine)
        #expect(throws: PerformFailure.takesCompleted(phases: 2, ago: minutes(110))) {
            try device.perform(.stop, ago: minutes(110), accepting: .shortReach)
        }
        #expect(
            said("stop --ago 110m").hasPrefix(
                "focus: \(BackdatingTests.lost("1h50m")) 'focus undo' brings that back.\n"))
        #expect(laptop.run("undo --yes").status == .done)
        #expect(laptop.run("log").output.contains("2 of 8 work phases"))
    }

    @Test("a press on another laptop that cuts it short is named with the laptop")
    func other() throws {
        _ = laptop.run("start")
        laptop.pass(.seconds(300))
        try homePresses { log, run, now in
            if let run { log.adjust(run, 0, seconds: 60, now, by: .b) }
        }
        laptop.pass(.seconds(120))
        #expect(
            said("stop --ago 10m").hasPrefix(
                "focus: It counts from 2m ago instead of 10m ago: not before the added 1m pressed on home. "
                    + "Recorded: "))
        laptop.pass(.seconds(60))
        #expect(
            said("start --ago 10m")
                == "focus: It counts from 3m ago instead of 10m ago: not before the stop pressed on this laptop.\n"
        )
    }

    @Test("a break reaches back to the beginning of its phase")
    func phase() {
        _ = laptop.run("start")
        laptop.pass(.seconds(33 * 60))
        #expect(
            said("break --ago 10m")
                == "focus: It counts from 3m ago instead of 10m ago: not before the phase began.\n")
    }

    @Test("a start at a time of another day that it can't reach is refused")
    func anotherDay() {
        let start = laptop.run(["start", "Report", "--at", "2025-11-19 09:00"])
        #expect(start.status == .notNow)
        #expect(
            start.messages
                == "focus: Wed 19 Nov 2025, 09:00 is too far back: a start reaches back one work phase at most. "
                + "'focus log add 2025-11-19 09:00 25m' adds what was done then.\n")
        #expect(laptop.run("status").output.contains("(stopped)"))
    }

    @Test("a start names a press in a side run")
    func aside() throws {
        _ = laptop.run("start")
        laptop.pass(.seconds(60))
        try homePresses { log, _, now in
            log.label(log.start(now, by: .b, offline: true), "Alone", now, by: .b)
        }
        _ = laptop.run("stop --ago 30s")
        laptop.pass(.seconds(180))
        #expect(
            said("start --ago 10m")
                == "focus: It counts from 3m ago instead of 10m ago: not before the label 'Alone' pressed on home, "
                + "in a session of its own.\n"
        )
    }
}
