import ClientSupport
import CommandLineKit
import FocusClient
import FocusCore
import FocusScreen
import FocusText
import TestSupport
import Testing

@Suite("focus stats")
struct StatsCommandTests {
    /// Thursday, 20 November 2025, 23:30 in Berlin.
    private static let now: SharedInstant = 1_763_677_800_000

    private let home = TemporaryHome()

    init() { BerlinTime.set() }

    /// Returns a laptop with more than a year's history, always the same. There are fewer phases at weekends,
    /// none in August, and some days without any.
    private func laptop(_ screen: TestContext.Screen = .init()) throws -> TestContext {
        let laptop = TestContext(home: home.path, now: StatsCommandTests.now, screen: screen)
        var random = SeededGenerator(seed: 11)
        var log = LogScript()
        let today = LocalCalendar.berlin.day(of: StatsCommandTests.now)
        for day in today.advanced(by: -400)...today where day.date.month != 8 {
            let begin = LocalCalendar.berlin.span(of: day).from + minutes(9 * 60)
            for number in 0..<Int64.random(in: day.weekday > 5 ? 0...2 : 4...10, using: &random) {
                let from = begin + minutes(40 * number)
                let isWhole = Int.random(in: 0..<5, using: &random) > 0
                let labels = ["Write", "Write", "Read the paper on clocks", "", "日本語の勉強"]
                let end = from + minutes(isWhole ? 25 : 12)
                log.add(
                    .record(
                        .init(
                            activity: "work", startedAt: from, endedAt: end,
                            outcome: isWhole ? "completed" : "stopped",
                            label: labels.randomElement(using: &random) ?? "", source: "\(from.milliseconds)")
                    ), end)
            }
        }
        laptop.put(log.events.map { "\(EventLine($0))\n" }.joined(), at: "year.jsonl")
        try #require(laptop.run("import year.jsonl").status == .done)
        return laptop
    }

    @Test("an empty history says so, and is empty in JSON")
    func empty() {
        let laptop = TestContext(home: home.path, now: StatsCommandTests.now)
        let expected = TestContext.Result(
            status: .done, output: "", messages: "focus: The history is empty.\n")
        #expect(laptop.run("stats") == expected)
        #expect(
            laptop.run("stats --week --json").output == """
                {"now":1763677800000,"from":"2025-11-17","to":"2025-11-20",\
                "zone":{"name":"CET","offset":"+01:00"},"label":null,"tag":null,\
                "goals":{"day":{"focusMs":0,"completed":8},"week":{"focusMs":0,"completed":0},"daysOff":[]},\
                "streak":{"unit":"day","current":null,"longest":null},"focusMs":0,"completed":0,"average":null,\
                "before":{"from":"2025-11-10","to":"2025-11-13","focusMs":0,"completed":0,"average":null},\
                "days":[],"weeks":[],"months":[],"years":[],\
                "hours":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"labels":[],"tags":[]}

                """)
    }

    @Test("the time zone of the days is named as it is now, in summer too")
    func zone() {
        // Tuesday, 1 July 2025, 12:00 in Berlin.
        let laptop = TestContext(home: home.path, now: 1_751_364_000_000)
        _ = laptop.run("log add Read --for 25m")
        #expect(laptop.run("stats --json").output.contains(#""zone":{"name":"CEST","offset":"+02:00"}"#))
        #expect(
            laptop.run("stats").output.contains(
                "\nDays are those of this laptop's time zone, now CEST (UTC+2).\n"))
    }

    @Test(
        "the output equals the golden file",
        arguments: [
            ("stats", "year.txt"), ("stats --week", "week.txt"), ("stats --month", "month.txt"),
            ("stats --year", "this-year.txt"), ("stats --from 2025-08-20 --to 2025-W39", "weeks.txt"),
            ("stats --from 2021", "years.txt"), ("stats --label Write --to yesterday", "label.txt"),
            ("stats --from 2025-08 --to 2025-08", "nothing.txt"),
            ("stats --json --from 2025-11-10", "json.txt"),
        ])
    func pages(words: String, golden: String) throws {
        let result = try laptop(.init(glyphs: .unicode)).run(words)
        #expect(result.status == .done)
        #expect(Golden.difference(result.output, golden) == nil)
    }

    @Test("without a UTF-8 locale only ASCII is shown")
    func ascii() throws {
        let output = try laptop().run("stats --label Write").output
        #expect(Golden.difference(output, "ascii.txt") == nil)
        #expect(output.utf8.allSatisfy { $0 < 128 })
    }

    @Test("tags are counted below the labels, and can be chosen with or without their sign")
    func tags() {
        let laptop = TestContext(home: home.path, now: StatsCommandTests.now)
        for (label, from) in [("Report #deep", "9:00"), ("Mail +office #deep", "10:00"), ("Walk", "11:00")] {
            _ = laptop.run(["log", "add", label, "--from", from, "--for", "25m"])
        }
        let shown = laptop.run("stats").output
        #expect(shown.contains("\nBy tag: focus time, work phases\n"))
        #expect(shown.split(separator: "\n").contains { $0.hasSuffix("#deep") && $0.contains("50m") })
        #expect(
            laptop.run("stats --json").output.contains(
                ##""tags":[{"tag":"#deep","focusMs":3000000,"completed":2},{"tag":"+office","##))
        for word in ["deep", "#deep"] {
            let lines = laptop.run(["log", "--tag", word]).output
            #expect(lines.contains("Report") && lines.contains("Mail") && !lines.contains("Walk"))
        }
        let office = laptop.run("stats --tag +office").output
        #expect(office.contains("25m of focus time, 1 work phase tagged") && office.contains("'+office'"))
        #expect(laptop.run("log --tag +deep").messages == "focus: Nothing in the history matches.\n")
        #expect(
            laptop.run("log --tag deep --label x").messages.hasPrefix("focus: Only one of --label and --tag")
        )
        for word in ["", "#", "two words", "deep!"] {
            for command in ["log", "stats"] {
                let refused = laptop.run([command, "--tag", word])
                #expect(refused.status == .usage)
                #expect(refused.messages.contains("'\(word)' is not a tag. A tag is a word of a label"))
            }
        }
        #expect(laptop.run(["complete", "--", "log", "--tag", ""]).output.contains("#deep"))
        #expect(laptop.run("stats --label nope").messages == "focus: Nothing in the history matches.\n")
    }

    @Test(
        "only a label that is too long for its line is cut, and ends with a sign",
        arguments: [Glyphs.unicode, .ascii])
    func longLabel(glyphs: Glyphs) {
        let laptop = TestContext(
            home: home.path, now: StatsCommandTests.now, screen: .init(glyphs: glyphs, columns: 60))
        // The greatest bars leave 23 columns for the labels.
        for (hour, count) in [100, 3, 23, 24].enumerated() {
            let label = String(repeating: "x", count: count)
            _ = laptop.run(["log", "add", label, "--from", "0\(hour):00", "--for", "25m"])
        }
        let lines = laptop.run("stats").output.split(separator: "\n").filter { $0.contains("xxx") }
        #expect(lines.count { $0.hasSuffix("x\(glyphs.cutOff)") } == 2)
        #expect(lines.count { $0.hasSuffix(" xxx") } == 1)
        #expect(lines.count { $0.hasSuffix(" " + String(repeating: "x", count: 23)) } == 1)
        #expect(lines.allSatisfy { $0.count <= 60 })
        #expect(lines.count { $0.count == 60 } == 3)
    }

    @Test("on a terminal with colours the charts have the colour of work")
    func colour() throws {
        let screen = TestContext.Screen(paint: .exact, glyphs: .unicode)
        let plain = try laptop(.init(glyphs: .unicode)).run("stats").output
        let painted = try laptop(screen).run("stats").output
        #expect(painted.contains("\u{1B}[38;2;222;42;84m█"))
        let codes = ["\u{1B}[38;2;222;42;84m", "\u{1B}[0m"]
        #expect(codes.reduce(painted) { $0.split(separator: $1).joined() } == plain)
        #expect(plain.contains("\u{1B}") == false)
    }

    @Test("no line is wider than the terminal", arguments: [24, 30, 40, 57, 58, 59, 60, 80, 200])
    func width(columns: Int) throws {
        let laptop = try laptop(.init(glyphs: .unicode, columns: columns))
        for words in ["stats", "stats --from 2025-08-20 --to 2025-W39", "stats --from 2021"] {
            for line in laptop.run(words).output.split(separator: "\n") {
                let wide = line.count { ("\u{3041}"..."\u{9FFF}").contains($0) }
                #expect(line.count + wide <= columns, "\(words): \(line)")
            }
        }
        // The greatest bar takes the rest of its line, up to 40 columns.
        let today = try #require(
            laptop.run("stats").output.split(separator: "\n").first { $0.hasPrefix("  Thu 20 Nov ") })
        #expect(today.count == (columns > 24 ? min(columns, 64) : 22), "\(today)")
    }

    @Test("a range that ends before it begins is wrong usage")
    func backwards() throws {
        let laptop = try laptop()
        #expect(
            laptop.run("stats --from today --to yesterday")
                == .init(
                    status: .usage, output: "",
                    messages: "focus: The range begins on 2025-11-20, after its end on 2025-11-19.\n"))
        #expect(laptop.run("stats --from 2030").status == .usage)
        #expect(laptop.run("stats --week --from 2025").status == .usage)
    }

    @Test("ranges before 1970 and far in the future are accepted")
    func extremes() throws {
        let laptop = try laptop()
        #expect(laptop.run("stats --from 0000 --to 0000-01-05").status == .done)
        #expect(laptop.run("stats --from 0000 --to 9999").output.contains("\n  2025  "))
        #expect(laptop.run("stats --to 9999-12-31").status == .done)
    }

    @Test("with a goal of 0 there is no streak")
    func withoutGoal() throws {
        let laptop = try laptop()
        _ = laptop.run("set dailyGoal=0")
        let output = laptop.run("stats").output
        #expect(!output.contains("Streak"))
        #expect(output.contains("\nToday: 3h45m of focus time, 9 work phases\n"))
        #expect(laptop.run("log").output.contains("Thu 20 Nov 2025: 3h45m of focus time, 9 work phases\n"))
        #expect(laptop.run("stats --json").output.contains("\"daysOff\":[]},\"streak\":null"))
    }

    @Test("goals of focus time and of the week are shown beside the work, and no daily goal on a day off")
    func goals() throws {
        let laptop = try laptop()
        _ = laptop.run("set dailyFocus=4h weeklyGoal=30 weeklyFocus=20h")
        let output = laptop.run(["stats", "--week"]).output
        #expect(output.contains("\nToday: 3h45m of 4h of focus time, 9 work phases (goal 8)\n"))
        #expect(output.contains("\nThis week: 11h14m of 20h of focus time, 26 of 30 work phases\n"))
        #expect(output.contains("with 8 work phases and 4h of focus time or more"))
        #expect(
            laptop.run("log --today").output.hasPrefix("Thu 20 Nov 2025: 3h45m of 4h of focus time, 9 work "))
        _ = laptop.run("set daysOff=thu")
        let off = laptop.run(["stats", "--week"]).output
        #expect(off.contains("\nToday: 3h45m of focus time, 9 work phases\n"))
        #expect(
            off.split(separator: "\n").joined(separator: " ").contains(
                ", days off left out The same days a week before: 1h35m and 3.3, over 3 days Today: "))
        _ = laptop.run("set dailyGoal=0 dailyFocus=off")
        #expect(
            laptop.run("stats").output.contains(
                "Streak: no week with 30 work phases and 20h of focus time or more yet"))
        #expect(laptop.run("stats --label Write").output.contains("Streak") == false)
    }

    @Test("the average day is compared with the days before, and hours are those of the clock")
    func averages() {
        let laptop = TestContext(home: home.path, now: StatsCommandTests.now)
        for (day, from) in [
            ("2025-11-12", "09:00"), ("2025-11-18", "09:00"), ("2025-11-18", "09:30"),
            ("2025-11-20", "22:50"),
        ] {
            _ = laptop.run(["log", "add", "--from", "\(day) \(from)", "--for", "20m"])
        }
        let output = laptop.run("stats --week").output
        #expect(output.contains("\nAverage: 30m and 1.5 work phases a day, over 2 days with focus time\n"))
        #expect(output.contains("\nThe same days a week before: 20m and 1, over 1 day\n"))
        #expect(output.contains("\nBy hour: focus time\n  09:00  40m  "))
        #expect(output.contains("\n  22:00  10m  ") && output.contains("\n  23:00  10m  "))
        let json = laptop.run("stats --week --json").output
        #expect(json.contains(#""average":{"days":2,"focusMs":1800000,"completed":1.5}"#))
        #expect(json.contains(#""hours":[0,0,0,0,0,0,0,0,0,2400000,0,"#))
        let day = laptop.run("stats --from today").output
        #expect(!day.contains("Average") && day.contains("\nToday: ") && day.contains("\nBy hour: "))
    }
}
