import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusFormats
import FocusFront
import FocusHTTP
import FocusLink
import TestSupport
import Testing

@Suite("The commands of focus")
struct CommandTableTests {
    private func invocation(_ words: [String]) throws -> FocusInvocation? {
        guard case .run(let invocation) = try FocusProgram.table.parse(words) else { return nil }
        return invocation
    }

    @Test("the command table is consistent")
    func consistency() {
        #expect(FocusProgram.table.inconsistencies() == [])
    }

    @Test("each command's help equals the golden file and is no wider than 80 columns")
    func help() throws {
        var pages: [String] = []
        func visit(_ command: Command<FocusInvocation>, _ path: [String]) throws {
            guard case .show(let text) = try FocusProgram.table.parse(path + ["--help"]) else {
                Issue.record("\(path) shows no help")
                return
            }
            pages.append(text)
            for next in command.shownSubcommands { try visit(next, path + [next.name]) }
        }
        try visit(FocusProgram.table.root, [])
        let text = pages.joined(separator: "\n----\n\n")
        #expect(Golden.difference(text, "help.txt") == nil)
        #expect(text.split(separator: "\n").filter { $0.count > 80 } == [])
    }

    @Test("each command has one to three examples, which it accepts")
    func examples() throws {
        func visit(_ command: Command<FocusInvocation>, _ path: [String]) throws {
            #expect((1...3).contains(command.examples.count), "\(path)")
            for example in command.examples {
                let found = calls(in: example)
                #expect(found.contains { $0.starts(with: path) }, "\(example)")
                for call in found { #expect(try invocation(Array(call.dropFirst())) != nil, "\(example)") }
            }
            for next in command.shownSubcommands { try visit(next, path + [next.name]) }
        }
        for next in FocusProgram.table.root.shownSubcommands { try visit(next, ["focus", next.name]) }
    }

    /// The words of each `focus` in a shell's line, in which quotes stand around whole words.
    private func calls(in line: String) -> [[String]] {
        var calls: [[String]] = [[]]
        for (index, text) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            guard index.isMultiple(of: 2) else {
                calls[calls.count - 1].append(String(text))
                continue
            }
            let parts = text.split(omittingEmptySubsequences: false) { "|<>()".contains($0) }
                .map { $0.split(separator: " ").map(String.init) }
            calls[calls.count - 1] += parts.first ?? []
            calls += parts.dropFirst()
        }
        return calls.filter { $0.first == "focus" }
    }

    private static let table: [(String, FocusInvocation)] = [
        ("", .view),
        ("start", .start(StartRequest(), ago: nil)),
        ("start Write --ago 5m", .start(StartRequest(label: "Write"), ago: .seconds(300))),
        (
            "start --for 50m Write --at 9:30",
            .start(
                StartRequest(label: "Write", length: .seconds(3000), time: .today(34_200_000)), ago: nil)
        ),
        ("pause --ago=90s", .press(.pause, ago: .seconds(90))),
        ("resume", .press(.resume, ago: nil)),
        ("toggle", .press(.toggle, ago: nil)),
        ("stop", .press(.stop, ago: nil)),
        ("skip", .press(.skip, ago: nil)),
        ("done --ago 5m", .press(.complete, ago: .seconds(300))),
        ("break", .press(.rest, ago: nil)),
        ("add 5m", .add(.seconds(300), ago: nil)),
        ("add 5m --ago 1m", .add(.seconds(300), ago: .seconds(60))),
        ("add -5m", .add(.seconds(-300), ago: nil)),
        ("label Read", .label("Read")),
        ("undo", .undo(yes: false)),
        ("undo --yes", .undo(yes: true)),
        ("redo", .redo(yes: false)),
        ("idle", .idle(.show)), ("idle keep", .idle(.answer(.keep))),
        ("idle drop", .idle(.answer(.drop))), ("idle pause", .idle(.answer(.pause))),
        ("idle begin --ago 10m", .idle(.begin(ago: .seconds(600)))), ("idle end", .idle(.end)),
        ("set", .set([], json: false)),
        ("set --json dailyGoal", .set([.show(.dailyGoal)], json: true)),
        (
            "set workLength=50m dailyGoal autoStartWork=off",
            .set(
                [.change(.workLength, to: 3000), .show(.dailyGoal), .change(.autoStartWork, to: 0)],
                json: false)
        ),
        ("status --json --follow", .status(.json, follow: true)),
        ("profile", .profile(.list(json: false))),
        ("profile --json", .profile(.list(json: true))),
        ("profile long", .profile(.use("long"))),
        ("profile save deep", .profile(.save("deep"))),
        ("profile remove deep", .profile(.remove("deep"))),
        ("web", .web(.open)),
        ("web --print", .web(.print)),
        ("web --calendar", .web(.calendar(isRenewing: false))),
        ("web --calendar --renew", .web(.calendar(isRenewing: true))),
        ("web --forget", .web(.forget)),
        ("web --export page", .exportPage(folder: "page", server: nil)),
        (
            "web --export page --server https://focus.example",
            .exportPage(folder: "page", server: WebOrigin("https://focus.example"))
        ),
        ("log --json", .log(LogRequest(json: true))),
        ("log --today --label ", .log(LogRequest(HistoryFilter(range: .present(.day), choice: .label(""))))),
        ("log --week", .log(LogRequest(HistoryFilter(range: .present(.week))))),
        (
            "log --from yesterday",
            .log(LogRequest(HistoryFilter(range: .given(from: .yesterday, to: nil))))
        ),
        (
            "log add Write --from 9:05 --to 2025-11-20T09:30:00Z",
            .addToLog(
                AddEntryRequest(.between(.today(32_700_000), .instant(1_763_631_000_000)), label: "Write"))
        ),
        (
            "log add --from 09:05:07 --for 25m --activity longBreak",
            .addToLog(AddEntryRequest(.from(.today(32_707_000), .seconds(1500)), .longBreak))
        ),
        (
            "log add 11:00-11:20 Team standup",
            .addToLog(
                AddEntryRequest(.between(.today(39_600_000), .today(40_800_000)), label: "Team standup"))
        ),
        ("log add --for 25", .addToLog(AddEntryRequest(.upTo(nil, .seconds(1500))))),
        ("log label k3f9q2 Read", .relabel(entry: "k3f9q2", "Read")),
        ("log move k3f9q2 9:05", .changeEntry("k3f9q2", .move(.today(32_700_000)))),
        ("log resize k3f9q2 --for 25m", .changeEntry("k3f9q2", .length(.seconds(1500)))),
        ("log resize k3f9q2 --to 9:05", .changeEntry("k3f9q2", .between(nil, .today(32_700_000)))),
        ("log split k3f9q2 9:05 Mail", .changeEntry("k3f9q2", .split(.today(32_700_000), label: "Mail"))),
        ("log remove k3f9q2", .removeFromLog(entry: "k3f9q2")),
        ("stats", .stats(StatsRequest())),
        ("stats --week --json", .stats(StatsRequest(range: .present(.week), json: true))),
        ("stats --tag deep", .stats(StatsRequest(choice: .tag("deep")))),
        ("stats --label ", .stats(StatsRequest(choice: .label("")))),
        (
            "stats --from yesterday --to=1970-W01",
            .stats(StatsRequest(range: .given(from: .yesterday, to: .days(Day(number: -3)...Day(number: 3)))))
        ),
        ("devices", .devices(json: false)),
        ("devices rename desk", .renameDevice("desk")),
        ("devices revoke desk", .revokeDevices(["desk"], others: .unnamed, isSure: false)),
        ("devices revoke --yes desk", .revokeDevices(["desk"], others: .unnamed, isSure: true)),
        ("devices revoke desk --only", .revokeDevices(["desk"], others: .nobody, isSure: false)),
        ("devices revoke desk --recent", .revokeDevices(["desk"], others: .recent, isSure: false)),
        ("invite", .invite(showsCode: false)), ("invite --qr", .invite(showsCode: true)),
        ("share", .share(.start(name: nil, showsCode: false))),
        ("share --qr --name desk", .share(.start(name: "desk", showsCode: true))),
        ("share --stop", .share(.stop)),
        ("share --move focus.example.org:443", .share(.move(to: "focus.example.org:443"))),
        ("join - --name desk", .join(JoinRequest(.standardInput, name: "desk"))),
        ("join abc", .join(JoinRequest(.argument("abc")))),
        ("join abc --take-along", .join(JoinRequest(.argument("abc"), choice: .takeAlong))),
        ("join --leave-behind -", .join(JoinRequest(.standardInput, choice: .leaveBehind))),
        ("leave", .leave(isSure: false)), ("leave --yes", .leave(isSure: true)),
        ("sync --json", .sync(json: true)),
        ("export", .export(ExportRequest(.log))),
        ("export --format open-pomodoro", .export(ExportRequest(.history(.openPomodoro)))),
        (
            "export --format=toggl --email me@example.org",
            .export(ExportRequest(.history(.toggl), email: "me@example.org"))
        ),
        ("export --format csv --no-formulas", .export(ExportRequest(.history(.csv), isDisarmed: true))),
        (
            "export --tag deep --format ics --to today",
            .export(
                ExportRequest(
                    .history(.ics),
                    HistoryFilter(range: .given(from: nil, to: .today), choice: .tag("deep"))))
        ),
        ("import log.jsonl", .importFile(ImportRequest("log.jsonl"))),
        (
            "import - --format ics --strict",
            .importFile(ImportRequest("-", format: .history(.ics), isStrict: true))
        ),
        (
            "replay a b --at 2025-11-20T18:00:00Z --until=5 --json",
            .replay(ReplayRequest(files: ["a", "b"], at: 1_763_661_600_000, until: 5, json: true))
        ),
        ("agent", .agent(.status(json: false))),
        ("agent --json", .agent(.status(json: true))),
        ("agent status --json", .agent(.status(json: true))),
        ("agent run", .agent(.run)),
        ("agent stop", .agent(.stop)),
        ("agent install", .service(.install)),
        ("agent install --uninstall", .service(.uninstall)),
        ("clock", .clock(accept: false)),
        ("clock accept", .clock(accept: true)),
        ("doctor --json", .doctor(json: true)),
        ("notify --test", .tryNotification),
        ("completion zsh", .shell(.script(.zsh))),
        ("complete -- sta -- ", .shell(.complete(["sta", "--", ""]))),
        ("manual focus.1", .shell(.manual("focus.1"))),
    ]

    @Test("each command makes its invocation", arguments: table)
    func invocations(words: String, expected: FocusInvocation) throws {
        let words = words.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(try invocation(words == [""] ? [] : words) == expected)
    }

    @Test("a label is trimmed")
    func label() throws {
        let expected = FocusInvocation.stats(StatsRequest(choice: .label("Read")))
        #expect(try invocation(["stats", "--label", " Read "]) == expected)
    }

    private static let onlyOfHistories =
        "--today, --week, --from, --to, --label and --tag are only for --format csv, ics, timewarrior, open-pomodoro, "
        + "toggl. jsonl is always the whole log."

    @Test(
        "options that contradict each other or are incomplete are refused",
        arguments: [
            ("log --today --week", "Only one of --today, --week, and --from and --to can be given."),
            ("log --today --to today", "Only one of --today, --week, and --from and --to can be given."),
            ("log add", "Say when it was, with --from or --for."),
            ("log add Report", "'Report' is neither a time nor a duration. \(AddEntryRequest.lineRule)"),
            ("log add --to 9:00", "Say when it was, with --from or --for."),
            ("log add --from 9:00 --to 9:25 --for 25m", "Give only two of --from, --to and --for."),
            (
                "join x --take-along --leave-behind",
                "--take-along and --leave-behind can't both be given."
            ),
            ("share --stop --qr", "--stop and --move can't be given with another option."),
            ("share --move a --name b", "--stop and --move can't be given with another option."),
            ("stats --week --year", "Only one of --week, --month, --year, and --from and --to can be given."),
            (
                "web --calendar --forget",
                "Only one of --print, --calendar, --forget and --export can be given."
            ),
            ("web --server https://focus.example", "--server is for --export."),
            ("web --print --renew", "--renew is for --calendar."),
            ("export --email a@b", "--email is for --format toggl."),
            ("export --tag deep", onlyOfHistories),
            ("export --format jsonl --from today", onlyOfHistories),
            (
                "export --format csv --week --to today",
                "Only one of --today, --week, and --from and --to can be given."
            ),
            ("export --format csv --label a --tag b", "Only one of --label and --tag can be given."),
        ])
    func contradictions(words: String, message: String) {
        do throws(UsageError) {
            _ = try FocusProgram.table.parse(words.split(separator: " ").map(String.init))
            Issue.record("'\(words)' was taken")
        } catch {
            #expect(error.message == message)
        }
    }

    @Test(
        "an invalid time is refused",
        arguments: ["24:01", "25:00", "9", "9:60", "2025-02-29 09:00", "noon", ":00"])
    func times(word: String) {
        #expect(throws: UsageError.self) { try FocusProgram.table.parse(["log", "add", "--from", word]) }
    }

    @Test(
        "an unknown setting or an invalid value is named",
        arguments: [
            ("worklength=5", "KEY[=VALUE]: 'worklength=5' is not a setting. Did you mean 'workLength'?"),
            (
                "50m",
                "KEY[=VALUE]: '50m' is not a setting. The settings are: workLength, shortBreakLength, longBreakLength, "
                    + "longBreakFrequency, autoStartBreaks, autoStartWork, dailyGoal, dailyFocus, weeklyGoal, "
                    + "weeklyFocus, daysOff, idleLimit, overtime, notifications, sound, warnBefore, sleep, idle, "
                    + "theme, accent, tray. To change one: workLength=50m."
            ),
            (
                "workLength=0",
                "KEY[=VALUE]: 'workLength=0' isn't allowed: workLength is between 1s and 24h."
            ),
            (
                "dailyGoal=",
                "KEY[=VALUE]: 'dailyGoal=' isn't allowed: dailyGoal is off, or between 1 and 100."
            ),
            (
                "daysOff=sat,sum",
                "KEY[=VALUE]: 'daysOff=sat,sum' isn't allowed: 'sum' is not a day. daysOff are days of "
                    + "mon,tue,wed,thu,fri,sat,sun, or none."
            ),
            (
                "daysOff=Monday",
                "KEY[=VALUE]: 'daysOff=Monday' isn't allowed: 'monday' is not a day. Did you mean 'mon'? daysOff "
                    + "are days of mon,tue,wed,thu,fri,sat,sun, or none."
            ),
            (
                "weeklyFocus=200h",
                "KEY[=VALUE]: 'weeklyFocus=200h' isn't allowed: weeklyFocus is off, or between 1s and 168h."
            ),
            (
                "autoStartWork=maybe",
                "KEY[=VALUE]: 'autoStartWork=maybe' isn't allowed: autoStartWork is on or off."
            ),
        ])
    func settings(word: String, message: String) {
        do throws(UsageError) {
            _ = try FocusProgram.table.parse(["set", word])
            Issue.record("'\(word)' was taken")
        } catch {
            #expect(error.message == message)
        }
    }
}
