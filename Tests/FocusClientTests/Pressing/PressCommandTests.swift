import ClientSupport
import CommandLineKit
import FocusCore
import FocusText
import TestSupport
import Testing

@Suite("The commands that press")
struct PressCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() {
        BerlinTime.set()
        // 19:00 in Berlin.
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
    }

    @Test("each press prints what every laptop shows now, and tells the agent")
    func presses() {
        #expect(laptop.run("start Write").output == "Work  25:00  until 19:25  Write\n")
        laptop.pass(.seconds(60))
        #expect(laptop.run("pause").output == "Work paused  24:00  would end 19:25  Write\n")
        #expect(laptop.run("add 5m").output == "Work paused  29:00 +5m  would end 19:30  Write\n")
        #expect(laptop.run("add -90s").output == "Work paused  27:30 +3m30s  would end 19:28  Write\n")
        #expect(laptop.run("resume").output == "Work  27:30 +3m30s  until 19:28  Write\n")
        #expect(
            laptop.run(["label", "Read a book"]).output
                == "Work  27:30 +3m30s  until 19:28  Read a book\n")
        #expect(
            laptop.run("toggle").output
                == "Work paused  27:30 +3m30s  would end 19:28  Read a book\n")
        #expect(laptop.run("toggle").output == "Work  27:30 +3m30s  until 19:28  Read a book\n")
        #expect(laptop.run("skip").output == "Break  05:00  until 19:06  Read a book\n")
        #expect(laptop.run("stop").output == "Work  25:00  (stopped)\n")
        #expect(laptop.run("toggle").output == "Work  25:00  until 19:26\n")
        #expect(laptop.notifications == 11)
        #expect(laptop.messages.hasPrefix("focus: Recorded: 19:00-19:01, 1m, work, skipped, Read a book ("))
    }

    @Test("a command says if it left out the end of a label or a name that is too long")
    func longTexts() {
        let long = String(repeating: "a", count: 201)
        let cut = "focus: A label has 200 characters at most: the rest was left out.\n"
        for words in [["start"], ["log", "add", "--for", "5m"], ["log", "add", "10m"]] {
            let result = laptop.run(words + [long])
            #expect(result.status == .done && result.output.contains(" \(long.dropLast())\n"))
            #expect(result.messages.contains(cut))
        }
        #expect(laptop.run(["label", "b\(long)"]).messages.contains(cut))
        #expect(
            laptop.run(["devices", "rename", long]).messages.contains("A name has 200 characters at most"))
        // Only the kept characters count.
        #expect(!laptop.run(["label", " \n\u{7}\(long.dropLast())\t "]).messages.contains("at most"))
    }

    @Test("with --ago, time added after the bell lengthens the phase that has just ended")
    func afterTheBell() {
        laptop.play(("start Write", 1_530))
        #expect(laptop.run("status").output == "Break  04:30  until 19:30  Write\n")
        #expect(laptop.run("add 5m --ago 1m").output == "Work  04:30 +5m  until 19:30  Write\n")
    }

    @Test("a press that isn't possible now has exit status 3, says what to do and changes nothing")
    func notNow() {
        func expect(_ words: String, _ message: String) {
            let result = laptop.run(words)
            #expect(result == .init(status: .notNow, output: "", messages: "focus: \(message)\n"))
        }
        let nothing = "Nothing is running. 'focus start' begins to work."
        for words in ["pause", "resume", "stop", "skip", "done", "add 5m", "label x"] {
            expect(words, nothing)
        }
        expect("undo", "There is nothing to undo.")
        expect(
            "redo", "There is no undo to take back: something was pressed since, or nothing was undone.")
        laptop.play(("start", 60))
        for words in ["start", "resume"] {
            expect(
                words,
                "It is already running. 'focus label TEXT' names the work, 'focus pause' pauses it, 'focus stop' ends it."
            )
        }
        _ = laptop.run("pause")
        expect("pause", "It is already paused. 'focus resume' goes on, 'focus stop' ends it.")
        expect(
            "start",
            "It is paused. 'focus resume' goes on, 'focus label TEXT' names the work. To start over, end it first "
                + "with 'focus stop'.")
        #expect(laptop.run("status").output == "Work paused  24:00  would end 19:25\n")
        #expect(laptop.notifications == 2)
    }

    @Test("a start has a length of its own, and lies ahead or in the past")
    func startOptions() {
        #expect(laptop.run("start Write --for 50m").output == "Work  50:00  until 19:50  Write\n")
        _ = laptop.run("stop")
        #expect(laptop.run("start --at 19:30").output == "Work starts  30:00  at 19:30 for 25m\n")
        let pause = laptop.run("pause")
        #expect(pause.status == .notNow && pause.messages.hasPrefix("focus: It is waiting to begin."))
        #expect(laptop.run("resume").output == "Work  25:00  until 19:25\n")
        _ = laptop.run("stop")
        laptop.pass(.seconds(600))
        #expect(laptop.run("start --at 19:08").output == "Work  23:00  until 19:33\n")
        #expect(laptop.run("start --at 19:30 --ago 5m").status == .usage)
    }

    @Test("done ends work as completed, and break begins a break")
    func doneAndBreak() {
        #expect(laptop.run("break").output == "Break  05:00  until 19:05\n")
        #expect(laptop.run("done").messages == "focus: It's a break. 'focus skip' ends it.\n")
        _ = laptop.run("skip")
        laptop.pass(.seconds(60))
        #expect(laptop.run("done").output == "Break  05:00  until 19:06\n")
        #expect(laptop.run("undo --yes").output == "Work  24:00  until 19:25\n")
        #expect(laptop.run("break").output == "Break  05:00  until 19:06\n")
    }

    @Test("with --ago a press takes effect in the past")
    func ago() {
        #expect(laptop.run("start --ago 10m").output == "Work  15:00  until 19:15\n")
        laptop.pass(.seconds(120))
        #expect(laptop.run("pause --ago 60s").output == "Work paused  14:00  would end 19:16\n")
        #expect(laptop.messages == "")
    }

    @Test("a press that reaches back less far than asked says so")
    func cutShort() {
        let start = laptop.run("start --ago 40m")
        #expect(start.output == "Break  05:00  until 19:05\n")
        #expect(
            start.messages == """
                focus: It counts from 25m ago instead of 40m ago: a start reaches back one work phase at most.

                """)
    }

    @Test("a press that would have changed nothing back then is refused, and nothing is written")
    func noEffect() {
        laptop.play(("set autoStartBreaks=off", 0), ("start", 26 * 60))
        let exported = laptop.run("export").output
        let result = laptop.run("resume --ago 10m")
        #expect(result.status == .notNow)
        #expect(
            result.messages == """
                focus: It would have changed nothing then. Give a shorter time with --ago, or leave it out.

                """)
        #expect(laptop.run("export").output == exported)
        #expect(laptop.run("resume --ago 30s").output == "Break  04:30  until 19:30\n")
    }

    @Test("a stop says what it recorded, and less time says that it ended the phase")
    func ended() {
        laptop.play(("start Write", 600))
        #expect(
            laptop.run("stop").messages.hasPrefix(
                "focus: Recorded: 19:00-19:10, 10m, work, stopped, Write ("))
        laptop.play(("start", 12))
        #expect(
            laptop.run("add -1h").messages
                == "focus: That ended the work after 12s, and it counts as completed.\n")
        #expect(
            laptop.run("undo --yes").messages == "focus: Took back the removed 24m48s (just now).\n",
            "no more was removed than was left")
    }

    @Test("an undo of a press that began a planned phase calls it a start")
    func undoneStart() {
        laptop.play(("start --at 19:30", 60))
        #expect(laptop.run("done").messages.hasPrefix("focus: It is waiting to begin."))
        laptop.play(("resume", 10))
        #expect(laptop.run("undo").messages == "focus: Took back the start (10s ago).\n")
        laptop.play(("resume", 10), ("pause", 10), ("resume", 10))
        #expect(laptop.run("undo").messages == "focus: Took back the resume (10s ago).\n")
    }

    @Test("a label that would garble a terminal is stored unchanged, and printed with replacements")
    func garblingLabel() throws {
        let label = "a\u{202E}b"
        #expect(laptop.run(["start", label]).output == "Work  25:00  until 19:25  a\u{FFFD}b\n")
        #expect(laptop.run(["status", "--format", "{label}"]).output == "a\u{FFFD}b\n")
        let json = laptop.run("status --json").output
        #expect(json.contains(#""label":"a\u202eb""#))
        #expect(try JSON(parsing: json.utf8)["label"] == .string(label))
        let exported = laptop.run("export").output
        #expect(
            try LogText.parse(Array(exported.utf8)).contains {
                if case .start(let start) = $0.event.action { start.label == label } else { false }
            })
        #expect(laptop.run("undo").messages == "focus: Took back the start (just now).\n")
    }

    @Test("another laptop's label can't garble a message")
    func garblingMessage() {
        _ = laptop.run("start Write")
        let run = "1763661600000.2@000000000000000a"
        laptop.put(
            laptop.run("export").output + #"{"replica":"00000000000000ff","seq":1,"ms":1763661600000,"#
                + #""counter":9,"action":"label","run":"\#(run)","text":"a\u001b[2J\u202eb"}"#,
            at: "log")
        #expect(laptop.run("import log").messages == "focus: Merged 1 change; 3 were here already.\n")
        #expect(
            laptop.run("undo --yes").messages
                == "focus: Took back the label 'a\u{FFFD}[2J\u{FFFD}b' pressed on another laptop (just now).\n"
        )
    }
}
