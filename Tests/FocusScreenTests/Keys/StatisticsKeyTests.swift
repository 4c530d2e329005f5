import CursesKit
import FocusCore
import FocusFront
import FocusScreen
import FocusText
import TestSupport
import Testing

@Suite("The range of the statistics")
struct StatisticsKeyTests {
    private let size = TerminalSize(rows: 24, columns: 80)

    private func scene(_ view: ViewState, _ settings: Settings = Settings()) throws -> Scene {
        Scene(
            presentation: try Samples.running(for: minutes(8)), settings: settings,
            content: .statistics(try Samples.statistics(view.statistics)))
    }

    private func opened(_ chart: StatisticsViewState.Chart) -> ViewState {
        var view = ViewState()
        view.screen = .statistics
        view.statistics.chart = chart
        return view
    }

    private func answer(_ line: String, _ view: inout ViewState) throws {
        let scene = try scene(view)
        let typed: [Key] = line.unicodeScalars.map { .character($0) }
        let keys: [Key] = [.character("r"), .control("u")] + typed + [.enter]
        for key in keys {
            let effect = view.press(key, on: scene, size)
            #expect(effect == nil)
        }
    }

    private func rows(_ view: ViewState, _ settings: Settings = Settings()) throws -> [String] {
        let capabilities = Capabilities(colours: .none, isUnicode: true)
        return lines(ScreenFrame.draw(view, try scene(view, settings), size, capabilities))
    }

    /// Returns the rows without their frame and the blanks at their ends.
    private func lines(_ grid: Grid) -> [String] {
        grid.text.split(separator: "\n").map { row in
            var line = row.dropFirst().dropLast()
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    @Test("r takes the days of hours, labels and tags, and no others")
    func ranges() throws {
        for chart in StatisticsViewState.Chart.allCases {
            var view = opened(chart)
            let scene = try scene(view)
            _ = view.press(.character("r"), on: scene, size)
            let isAsked = if case .field(.range, _) = view.dialog { true } else { false }
            #expect(isAsked == [.hours, .labels, .tags].contains(chart), "\(chart)")
        }
        var view = opened(.labels)
        for (line, range) in [
            ("week", .present(.week)), ("", .given(from: nil, to: nil)),
            ("yesterday", .given(from: .yesterday, to: .yesterday)),
            ("2025-11-03 to today", .given(from: .days(try days("2025-11-03")), to: .today)),
            ("2025-W46", .given(from: .days(try days("2025-W46")), to: .days(try days("2025-W46")))),
        ] as [(String, StatsRange)] {
            try answer(line, &view)
            #expect(view.dialog == .none)
            #expect(view.statistics.range == range)
            #expect(StatsRange(line: range.line) == range)
            #expect(ViewState(view.json).statistics.range == range)
        }
    }

    private func days(_ text: String) throws -> ClosedRange<Day> {
        guard case .days(let days)? = DayWord(text) else { throw NoDays() }
        return days
    }

    private struct NoDays: Error {}

    @Test("a line that is no range stays, and says what is wrong")
    func refused() throws {
        for (line, words) in [
            ("soon", "'soon' is no range of days. Write week, month or year"),
            ("day", "'day' is no range"), ("2025-11 2025-12", "'2025-11 2025-12' is no range"),
            ("today to yesterday", "The range begins on 2025-11-20, after its end on 2025-11-19."),
        ] {
            var view = opened(.hours)
            try answer(line, &view)
            #expect(view.message?.hasPrefix(words) == true, "\(line): \(view.message ?? "")")
            #expect(view.dialog == .field(.range, TextField(line)))
            #expect(view.statistics.range == .given(from: nil, to: nil))
        }
    }

    @Test("a range is shown with its sums, its average day, and the days before it")
    func shown() throws {
        var view = opened(.labels)
        view.statistics.range = .present(.week)
        let line = try rows(view)[5]
        #expect(line.hasPrefix(" This week: ") && line.contains(" completed  ·  "), "\(line)")
        #expect(line.contains(" a day, before that "), "\(line)")
        view.statistics.chart = .hours
        #expect(try rows(view)[6].hasPrefix(" 09:00 "))
    }

    @Test("the goals that are set are shown beside today's work, and only those")
    func goals() throws {
        var settings = Settings()
        #expect(try rows(opened(.days), settings)[4].hasPrefix(" Today 3h6m, 6 of 8 work phases  ·  Streak "))
        settings.set(.dailyGoal, to: 0)
        settings.set(.dailyFocus, to: 4 * 3600)
        settings.set(.weeklyGoal, to: 30)
        let line = try rows(opened(.days), settings)[4]
        #expect(line.hasPrefix(" Today 3h6m of 4h, 6 · This week "), "\(line)")
        #expect(line.contains(" of 30"))
        // 20 November is a Thursday.
        settings.set(.daysOff, to: 8)
        #expect(try rows(opened(.days), settings)[4].hasPrefix(" Today 3h6m, 6 · This week "))
    }

    @Test("few columns still show the streak, and nobody is told of none")
    func streaks() throws {
        let view = opened(.days)
        let shown = try scene(view)
        func line(_ columns: Int, _ shown: Scene) -> String {
            lines(
                ScreenFrame.draw(
                    view, shown, TerminalSize(rows: 24, columns: columns),
                    Capabilities(colours: .none, isUnicode: true))
            )[4]
        }
        #expect(line(43, shown) == " Today 3h6m, 6 of 8 · Streak 1 day, best 5")
        #expect(line(40, shown) == " Today 3h6m, 6 of 8 · Streak 1 day")
        #expect(line(30, shown) == " Today 3h6m, 6 of 8")
        let never = StatisticsScene(
            Statistics([], .berlin), view.statistics, Goals(Settings()), today: Samples.today,
            zone: ZoneName(abbreviation: "CET", offset: .seconds(3600)), work: nil)
        let scene = Scene(
            presentation: Samples.stopped(), settings: Settings(), content: .statistics(never))
        #expect(line(80, scene) == " Today 0s, 0 of 8 work phases")
    }

    @Test("more than the goal is shown as that, not as a part of it")
    func beyondGoal() {
        let goal = Goal(completed: 3, focus: .zero)
        #expect(GoalText.short(FocusTotal(focus: minutes(90), completed: 3), goal) == "3 of 3")
        #expect(GoalText.short(FocusTotal(focus: minutes(90), completed: 5), goal) == "5 (goal 3)")
        let both = Goal(completed: 2, focus: minutes(120))
        #expect(
            GoalText.full(FocusTotal(focus: minutes(240), completed: 8), both)
                == "4h of focus time (goal 2h), 8 work phases (goal 2)")
    }

    @Test("the timer names today's goals, and this week's if there is room")
    func timer() throws {
        var settings = Settings()
        func line(_ columns: Int, isDayOff: Bool = false) throws -> String {
            let today = FocusTotal(focus: minutes(200), completed: 2)
            let scene = Scene(
                presentation: try Samples.running(for: minutes(8)), settings: settings,
                content: .timer(
                    today: today, week: FocusTotal(focus: minutes(600), completed: 9), isDayOff: isDayOff))
            let grid = ScreenFrame.draw(
                ViewState(), scene, TerminalSize(rows: 24, columns: columns),
                Capabilities(colours: .none, isUnicode: true))
            return lines(grid).first { $0.contains(" today") } ?? ""
        }
        #expect(try line(80).hasSuffix("2 of 8 today"))
        settings.set(.dailyFocus, to: 4 * 3600)
        settings.set(.weeklyFocus, to: 20 * 3600)
        #expect(try line(80).hasSuffix("2 of 8, 3h20m of 4h today, 10h of 20h this week"))
        #expect(try line(40).hasSuffix("2 of 8, 3h20m of 4h today"))
        settings.set(.dailyGoal, to: 0)
        #expect(try line(40).hasSuffix("3h20m of 4h today"))
        #expect(try line(80, isDayOff: true).hasSuffix("2 today, a day off, 10h of 20h this week"))
    }
}
