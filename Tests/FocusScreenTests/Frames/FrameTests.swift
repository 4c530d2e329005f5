import ClientSupport
import CursesKit
import FocusClient
import FocusCore
import FocusDevice
import FocusScreen
import FocusStore
import TestSupport
import Testing

/// Frames, compared with golden files. Sizes are in rows and columns.
@Suite("Frames of the full-screen view")
struct FrameTests {
    private static let exact = Capabilities(colours: .exact, isUnicode: true)
    private static let palette = Capabilities(colours: .palette, isUnicode: true)
    private static let sixteen = Capabilities(colours: .sixteen, isUnicode: true)
    private static let plain = Capabilities(colours: .none, isUnicode: false)

    private let usual = TerminalSize(rows: 24, columns: 80)
    private let least = TerminalSize(rows: 12, columns: 40)
    private let large = TerminalSize(rows: 45, columns: 120)

    init() { BerlinTime.set() }

    private func expect(
        _ name: String, _ view: ViewState, _ content: Scene.Content, _ size: TerminalSize,
        _ capabilities: Capabilities = exact, shown: Presentation? = nil, troubles: [Trouble] = [],
        problem: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let presentation = try shown ?? Samples.running(for: minutes(8))
        let scene = Scene(
            presentation: presentation, settings: Settings(), content: content, troubles: troubles,
            at: Samples.now, problem: problem)
        let grid = ScreenFrame.draw(view, scene, size, capabilities)
        let difference = Golden.difference(grid.text, "\(name).txt")
        #expect(difference == nil, sourceLocation: sourceLocation)
    }

    private func view(_ screen: ScreenName, _ change: (inout ViewState) -> Void = { _ in }) -> ViewState {
        var view = ViewState()
        view.screen = screen
        change(&view)
        return view
    }

    private let today = Scene.Content.timer(today: FocusTotal(focus: minutes(55), completed: 2))

    // MARK: - The timer

    @Test("the timer runs, with others, in exact colours") func timerRunning() throws {
        let link = GroupConnectionStatus(.online, pending: 2, others: ["desk", "home"])
        try expect(
            "timer-running", view(.timer), today, usual,
            shown: Samples.running(for: minutes(8), sharing: .group(link)))
    }

    @Test("the timer is stopped and alone, in the smallest terminal, without colours, in ASCII")
    func timerStopped() throws {
        try expect(
            "timer-stopped-ascii", view(.timer), .timer(today: FocusTotal()), least, FrameTests.plain,
            shown: Samples.stopped())
    }

    @Test("a break is paused, in 16 colours, in a large terminal") func timerBreak() throws {
        let shown = try Samples.running(for: minutes(27)) { $0.pause($1, Samples.now - 1000) }
        try expect("timer-break-large", view(.timer), today, large, FrameTests.sixteen, shown: shown)
    }

    @Test("a clock of a whole day and many cycles fit into the smallest terminal") func timerLong() throws {
        var log = LogScript()
        log.set("workLength", 86_400, Samples.now)
        log.set("longBreakFrequency", 40, Samples.now)
        log.start(Samples.now, label: "A label that is far too long for so few columns")
        let state = try EventLog(log.events).replayed().0
        try expect(
            "timer-long", view(.timer), today, least, FrameTests.palette,
            shown: Presentation(
                TimerState(state, at: Samples.now),
                sharing: .group(GroupConnectionStatus(.offline, pending: 3))))
    }

    @Test("a phase that was lengthened says so, on the timer and above the other screens") func added() throws
    {
        let shown = try Samples.running(for: minutes(8)) {
            $0.adjust($1, 0, seconds: 300, Samples.now - minutes(1))
        }
        try expect("timer-added", view(.timer), today, least, shown: shown)
        let content = Scene.Content.settings([.sound: .off, .sleep: .off])
        try expect("settings-added", view(.settings), content, usual, shown: shown)
    }

    @Test("a narrow terminal leaves out the added time first") func addedWithoutRoom() throws {
        let label = "A label that takes all columns"
        let shown = try Samples.running(for: minutes(8), label: label) {
            $0.adjust($1, 0, seconds: -120, Samples.now - minutes(1))
        }
        let content = Scene.Content.settings([:])
        let scene = Scene(presentation: shown, settings: Settings(), content: content)
        let line = { (columns: Int) in
            ScreenFrame.draw(
                view(.settings), scene, TerminalSize(rows: 12, columns: columns), FrameTests.plain
            )
            .text
        }
        #expect(line(60).contains("Work  15:00 -2m  \(label)"))
        #expect(line(46).contains("Work  15:00  \(label)"))
        #expect(!line(46).contains("-2m"))
    }

    /// Returns the row with the status on the timer's screen, in a terminal of this width.
    private func statusRow(_ shown: Presentation, columns: Int) -> Substring? {
        let scene = Scene(presentation: shown, settings: Settings(), content: today)
        let size = TerminalSize(rows: 12, columns: columns)
        return ScreenFrame.draw(view(.timer), scene, size, FrameTests.plain).text
            .split(separator: "\n").first { $0.contains("Work") }
    }

    @Test("a narrow terminal's timer leaves out the end of the phase first, then the added time")
    func endWithoutRoom() throws {
        let shown = try Samples.running(for: minutes(8)) {
            $0.adjust($1, 0, seconds: 300, Samples.now - minutes(1))
        }
        #expect(statusRow(shown, columns: 21) == "|Work +5m  until 15:22|")
        #expect(statusRow(shown, columns: 20) == "|      Work +5m      |")
        #expect(statusRow(shown, columns: 8) == "|Work +5m|")
        #expect(statusRow(shown, columns: 7) == "| Work  |")
    }

    @Test("the timer shows when a paused phase would end, and no end if stopped") func pausedEnd() throws {
        let paused = try Samples.running(for: minutes(8)) { $0.pause($1, Samples.now - minutes(2)) }
        #expect(statusRow(paused, columns: 40) == "|      Work paused  would end 15:19      |")
        #expect(statusRow(Samples.stopped(), columns: 40) == "|             Work (stopped)             |")
    }

    @Test("another laptop's press stands before the row about sharing, or alone if there is little room")
    func press() throws {
        let stamp = try #require(Stamp(time: Samples.now - minutes(2), counter: 0))
        let stop = Action.stop(RunID(stamp: .zero, replica: .a), at: nil)
        let shown = Presentation(
            TimerState(ReplayState(), at: Samples.now),
            sharing: .group(GroupConnectionStatus(.online, others: ["desk"])),
            press: RecentPress(
                Event(replica: .b, seq: 1, stamp: stamp, action: stop), by: "desk", shownAs: "desk",
                at: Samples.now))
        let scene = Scene(presentation: shown, settings: Settings(), content: today)
        let row = { (columns: Int) in
            ScreenFrame.draw(
                view(.timer), scene, TerminalSize(rows: 12, columns: columns), FrameTests.plain
            )
            .text.split(separator: "\n").first { $0.contains("desk") }
        }
        #expect(row(47) == "| Stopped by desk, 2 min ago   Online with desk |")
        #expect(row(46)?.contains(" Stopped by desk, 2 min ago   With desk ") == true)
        #expect(row(40) == "| Stopped by desk, 2 min ago   With desk |")
        #expect(row(39)?.contains(" Stopped by desk, 2 min ago ") == true)
        #expect(row(39)?.contains("ith desk") == false)
    }

    /// A day with work from 14:22 on, a break at 14:47, and a phase with time left until 15:17.
    private func dayLine() throws -> DayLine {
        var log = LogScript()
        log.start(Samples.now - minutes(38), label: "Write")
        let (state, journal) = try EventLog(log.events).replayed()
        return DayLine(
            History(journal, state, at: Samples.now).records, TimerState(state, at: Samples.now),
            of: LocalCalendar.berlin.span(of: Samples.today), Samples.clocks, at: Samples.now)
    }

    @Test("the day at a glance is below the timer if there is room, and nowhere else")
    func day() throws {
        let today = Scene.Content.timer(today: FocusTotal(), day: try dayLine())
        func lines(_ rows: Int, _ columns: Int, _ capabilities: Capabilities) throws -> [Substring] {
            let scene = Scene(
                presentation: try Samples.running(for: minutes(8)), settings: Settings(), content: today)
            let size = TerminalSize(rows: rows, columns: columns)
            return ScreenFrame.draw(view(.timer), scene, size, capabilities).text.split(separator: "\n")
        }
        let frame = try lines(45, 120, FrameTests.exact)
        let place = try #require(frame.firstIndex { $0.contains("▲") })
        #expect(frame[place - 1].contains("▆▆▆▆▆▂▆▆▆▆▆"))
        #expect(frame[place].contains("┴────────"))
        let gap = String(repeating: " ", count: 11)
        #expect(frame[place + 1].contains(" 14\(gap)15\(gap)16 "))
        for (rows, columns) in [(24, 80), (29, 120), (45, 90), (12, 40)] {
            #expect(try !lines(rows, columns, FrameTests.exact).contains { $0.contains("▲") })
        }
        let ascii = try lines(45, 120, FrameTests.plain)
        #expect(
            ascii.contains { $0.contains("#####=#####") }
                && ascii.allSatisfy { !$0.contains("?") || $0.contains("? Help") })
    }

    @Test("a wide terminal has margins, in which there is nothing")
    func margins() throws {
        let rows = try Samples.historyRows()
        let scene = Scene(
            presentation: try Samples.running(for: minutes(8)), settings: Settings(), content: .history(rows))
        for (columns, margin) in [(120, 4), (100, 3), (99, 0)] {
            let size = TerminalSize(rows: 24, columns: columns)
            let grid = ScreenFrame.draw(view(.history), scene, size, FrameTests.exact)
            for row in 0..<size.rows {
                for column in Array(0..<margin) + Array(columns - margin..<columns) {
                    #expect(grid[row, column] == .blank, "\(columns): \(row), \(column)")
                }
            }
            #expect(grid[0, margin + 1] != .blank)
        }
    }

    @Test("bars of two rows don't touch each other, nor do days of a heatmap if there is room")
    func gaps() throws {
        func text(_ chart: StatisticsViewState.Chart) throws -> String {
            let view = view(.statistics) { $0.statistics.chart = chart }
            let scene = Scene(
                presentation: try Samples.running(for: minutes(8)), settings: Settings(),
                content: .statistics(try Samples.statistics(view.statistics)))
            return ScreenFrame.draw(view, scene, large, FrameTests.exact).text
        }
        let bars = try text(.days)
        #expect(bars.contains("▆▆▆") && !bars.contains("█"))
        let days = try text(.year).split(separator: "\n").filter { row in
            ["Mon", "Sun"].contains { row.hasPrefix("|      \($0) ") }
        }
        #expect(days.count == 2 && days.allSatisfy { !$0.contains("█") && $0.contains("· ·") })
        #expect(days.allSatisfy { $0.contains(#/[▂▃▅▇] [▂▃▅▇·]/#) })
    }

    @Test("a label is typed, with the cursor in it") func typing() throws {
        let view = view(.timer) { $0.dialog = .field(.label, TextField("日本語 und mehr", cursor: 4)) }
        try expect("timer-typing", view, today, least)
    }

    @Test("a message is shown above the line that is typed") func typingOn() throws {
        let starting = view(.timer) {
            $0.dialog = .field(.start, TextField("Mail"))
            $0.message = "The session has ended meanwhile: Enter starts another with this name."
        }
        try expect("timer-typing-said", starting, today, usual, shown: Samples.stopped())
    }

    @Test("troubles are short on the timer screen, and whole on the devices screen")
    func troubles() throws {
        let link = GroupStatus.group(
            GroupConnectionStatus(.offline, pending: 1, heard: Samples.now - minutes(50), obstacle: .revoked))
        let troubles: [Trouble] = [
            .revoked, .earlyEvents(EarlyEvents(count: 3, own: 3, latest: .zero), by: .seconds(12_000)),
            .latecomers(2),
        ]
        try expect(
            "timer-trouble", view(.timer), today, least, shown: Samples.stopped(link), troubles: troubles)
        let desk = DeviceRow(id: "desk", name: "desk", .this, remark: "this laptop, shut out")
        try expect(
            "devices-trouble", view(.devices), .devices([desk]), usual, shown: Samples.stopped(link),
            troubles: troubles)
    }

    @Test("a trouble names the keys that undo and redo, not their commands")
    func troubleKeys() {
        for (remedy, key) in [(LatePress.Remedy.undo, "u"), (.redo, "U")] {
            let scene = Scene(
                presentation: Samples.stopped(), settings: Settings(), content: .devices([]),
                troubles: [.resolved("Both pressed.", remedy)], at: Samples.now)
            let text = ScreenFrame.draw(view(.devices), scene, usual, FrameTests.exact).text
            #expect(text.contains("Both pressed. \(key) brings that back."))
        }
    }

    @Test("the hint at a resolved conflict goes once the person has looked among the devices")
    func seenNotice() throws {
        let scene = { (content: Scene.Content) in
            Scene(
                presentation: Samples.stopped(), settings: Settings(), content: content,
                troubles: [.resolved("Both pressed.", nil)], at: Samples.now)
        }
        var opened = view(.timer)
        func shows(_ text: String, _ content: Scene.Content) -> Bool {
            ScreenFrame.draw(opened, scene(content), usual, FrameTests.exact).text.contains(text)
        }
        #expect(shows("5 says what", today))
        for key in ["5", "1"] as [Unicode.Scalar] {
            let content = key == "5" ? today : Scene.Content.devices([])
            _ = opened.press(.character(key), on: scene(content), usual)
            #expect(key == "1" || shows("Both pressed.", .devices([])))
        }
        #expect(!shows("5 says what", today))
    }

    @Test("a laptop that is offline says since when, why, and how much waits") func offline() throws {
        let link = GroupConnectionStatus(
            .offline, pending: 2, heard: Samples.now - minutes(50), obstacle: .unreachable)
        try expect(
            "timer-offline", view(.timer), today, usual,
            shown: Samples.running(for: minutes(8), sharing: .group(link)))
    }

    @Test("messages and questions replace the keys") func said() throws {
        try expect(
            "timer-message", view(.timer) { $0.message = "Took back the stop (3m ago)." }, today, least)
        func question(_ question: Question) -> ViewState {
            view(.devices) { $0.dialog = .question(question) }
        }
        func row(_ name: String) -> DeviceRow {
            DeviceRow(id: String(repeating: "b", count: 64), name: name, .member, remark: "")
        }
        try expect("devices-question", question(.revoke(row("desk"), along: [])), .devices([]), least)
        let listed = (0..<12).map { row(String(repeating: "\($0 % 10)", count: 8)) }
        try expect(
            "devices-question-along", question(.revoke(row("desk"), along: listed)), .devices([]), usual)
        try expect("devices-question-accept", question(.accept(row("desk"))), .devices([]), least)
        let wide = question(.revoke(row("日本語の名前が付いているとても長い名前のラップトップ"), along: []))
        try expect("devices-question-wide", wide, .devices([]), least)
        try expect(
            "problem", view(.history), .unreadable, least,
            problem: "The disk is full, so nothing was changed.")
    }

    // MARK: - The history

    @Test("the history, newest first") func history() throws {
        try expect("history", view(.history), .history(Samples.historyRows()), usual)
        try expect("history-ascii", view(.history), .history(Samples.historyRows()), least, FrameTests.plain)
    }

    @Test("the history scrolled down, with another row selected") func historyScrolled() throws {
        let rows = try Samples.historyRows()
        let view = view(.history) { $0.history.list.move(by: 40, on: rows, height: 20) }
        try expect("history-scrolled", view, .history(rows), usual)
    }

    @Test("the history is searched while the words are typed") func historyFilter() throws {
        let view = view(.history) { $0.dialog = .field(.filter, TextField("paper SKIP")) }
        try expect("history-filter", view, .history(Samples.historyRows(filter: "paper SKIP")), usual)
        let none = self.view(.history) { $0.history.filter = "nothing" }
        try expect("history-none", none, .history(HistoryList()), least)
    }

    @Test("the history while an entry is typed, and before an entry is removed")
    func historyEditing() throws {
        let rows = try Samples.historyRows()
        let adding = view(.history) {
            $0.dialog = .field(.entry, TextField("9:30-10:15 Rep"))
            $0.message = "The history has that already."
        }
        try expect("history-adding", adding, .history(rows), least)
        let phase = try #require(
            rows.lazy.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }.first)
        let removing = view(.history) {
            $0.dialog = .question(.remove(phase.name, entry: "14:30-14:55, work, Write"))
        }
        try expect("history-removing", removing, .history(rows), least)
    }

    // MARK: - The statistics

    @Test("bars by day, week and label, and a year's heatmap") func charts() throws {
        typealias Chart = StatisticsViewState.Chart
        for (name, chart, size, capabilities) in [
            ("days", .days, usual, FrameTests.exact), ("weeks-ascii", .weeks, least, FrameTests.plain),
            ("year", .year, usual, FrameTests.exact), ("year-least", .year, least, FrameTests.exact),
            ("hours", .hours, usual, FrameTests.exact),
            ("labels", .labels, usual, FrameTests.exact), ("labels-ascii", .labels, least, FrameTests.plain),
        ] as [(String, Chart, TerminalSize, Capabilities)] {
            let view = view(.statistics) { $0.statistics.chart = chart }
            let scene = try Samples.statistics(view.statistics)
            try expect("statistics-\(name)", view, .statistics(scene), size, capabilities)
        }
    }

    // MARK: - Settings, devices, help

    @Test("the settings, and one that is being changed") func settings() throws {
        try expect("settings", view(.settings), .settings([.sound: .off]), usual)
        let editing = view(.settings) {
            $0.setting = .shared(.dailyGoal)
            $0.dialog = .field(.setting(.dailyGoal), TextField("12", cursor: 1))
        }
        try expect("settings-editing", editing, .settings([:]), least)
        let last = view(.settings) { $0.setting = .own(.tray) }
        try expect("settings-last", last, .settings([.notifications: .off, .sleep: .off]), least)
    }

    @Test("the devices, and how to share if the laptop is alone") func devices() throws {
        func row(_ name: String, _ standing: DeviceRow.Standing, _ remark: String) -> DeviceRow {
            DeviceRow(id: name, name: name, standing, remark: remark)
        }
        let desk = row("desk", .this, "this laptop, online, last used just now")
        let rows = [
            desk, row("A laptop with a name of many words", .member, "online, last used 5m ago"),
            row("fresh", .member, "new, got the group's key 1m ago, last used 5m ago"),
            row("late", .latecomer, "waiting to be accepted, online, last used 5m ago"),
            row("lost", .revoked, "shut out by home 2m ago, no session yet"),
            row("old", .readmitted, "readmitted, not accepted yet, last used 3 days ago"),
            row("cccccccc", .listed, "only listed by the server"),
        ]
        let link = GroupStatus.group(GroupConnectionStatus(.online, others: ["home"]))
        let shown = try Samples.running(for: 0, sharing: link)
        try expect("devices", view(.devices), .devices(rows), usual, shown: shown)
        for name in ["late", "lost", "old", "cccccccc"] {
            let selecting = view(.devices) { $0.devices = ListSelection(name) }
            try expect("devices-\(name)", selecting, .devices(rows), usual, shown: shown)
        }
        let narrow = view(.devices) { $0.devices = ListSelection("late") }
        try expect("devices-late-least", narrow, .devices(rows), least, shown: shown)
        try expect("devices-alone", view(.devices), .devices([desk]), least)
    }

    @Test("the devices while an invite is typed, while joining, and before leaving")
    func joining() throws {
        let desk = DeviceRow(id: "desk", name: "desk", .this, remark: "this laptop, last used just now")
        let invite = "lockstep1-aeaqkbiga4dascyma2dq7bzj6wvrs3k4mk5xe2lwgu7oq4u"
        let typing = view(.devices) {
            $0.dialog = .field(.invite, TextField(invite, limit: 4096))
            $0.message = "The invite is mistyped or cut short: copy the whole line again."
        }
        try expect("devices-invite", typing, .devices([desk]), usual)
        try expect("devices-invite-least", typing, .devices([desk]), least)
        let waiting = view(.devices) { $0.pendingOperation = .joining }
        try expect("devices-joining", waiting, .devices([desk]), least)
        let link = GroupStatus.group(GroupConnectionStatus(.online, others: ["home"]))
        let parting = view(.devices) { $0.dialog = .question(.leaveGroup(isOnlyMember: false)) }
        try expect(
            "devices-parting", parting, .devices([desk]), least,
            shown: Samples.running(for: 0, sharing: link))
    }

    @Test("the help") func help() throws {
        let view = view(.timer) { $0.dialog = .help(top: 3) }
        try expect("help", view, today, usual)
        try expect("help-least", view, today, least)
    }
}
