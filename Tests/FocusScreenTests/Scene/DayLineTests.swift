import FocusCore
import FocusScreen
import FocusText
import TestSupport
import Testing

@Suite("The line of today's phases")
struct DayLineTests {
    /// Thursday, 20 November 2025 in Berlin.
    private let day = LocalCalendar.berlin.span(of: Samples.today)

    /// Returns the line at `clock`, after presses at times of this day.
    private func line(at clock: Duration, _ presses: (inout LogScript) -> Void = { _ in }) throws -> DayLine {
        var log = LogScript()
        presses(&log)
        let (state, journal) = try EventLog(log.events).replayed()
        let now = day.from + clock
        return DayLine(
            History(journal, state, at: now).records, TimerState(state, at: now), of: day, Samples.clocks,
            at: now)
    }

    /// Returns a picture of the line: `W` and `b` for work and breaks, `w` for the rest of work, a dot for
    /// nothing.
    private func picture(_ line: DayLine, hourWidth: Int) -> String {
        line.columns((line.hours.count - 1) * hourWidth).map { part in
            guard let part else { return "." }
            return part.theme == .rest ? "b" : part.isAhead ? "w" : "W"
        }.joined()
    }

    private func hours(_ line: DayLine) -> [String] {
        [line.hours.first, line.hours.last].map { $0?.name ?? "" }
    }

    @Test("a day without work begins at this hour and has eight, but no hours of other days")
    func empty() throws {
        #expect(hours(try line(at: minutes(9 * 60 + 20))) == ["09", "17"])
        #expect(hours(try line(at: minutes(22 * 60 + 20))) == ["16", "00"])
        #expect(hours(try line(at: .zero)) == ["00", "08"])
        let line = try line(at: minutes(9 * 60 + 20))
        #expect(line.parts == [] && line.place(of: line.now, 80) == 3)
        #expect(picture(line, hourWidth: 2) == String(repeating: ".", count: 16))
    }

    @Test("phases stand by the clock, then what is left of the present one")
    func phases() throws {
        let begin = day.from + minutes(9 * 60)
        let line = try line(at: minutes(9 * 60 + 40)) { $0.start(begin, label: "Write") }
        // 25 minutes of work, 5 of a break, 10 of work, and 15 that are left.
        #expect(picture(line, hourWidth: 12) == "WWWWWbWWwww" + String(repeating: ".", count: 85))
        #expect(line.parts.map(\.phase) == [0, 1, 2, 2])
        #expect(line.parts.map(\.isAhead) == [false, false, false, true])
    }

    @Test("a pause is a gap, and a paused phase would go on from now")
    func pause() throws {
        let begin = day.from + minutes(9 * 60)
        let line = try line(at: minutes(9 * 60 + 30)) {
            let run = $0.start(begin)
            $0.pause(run, begin + minutes(10))
        }
        #expect(picture(line, hourWidth: 12).hasPrefix("WW....www."))
    }

    @Test("work that is waiting stands there from its beginning, with its length and nothing before it")
    func waiting() throws {
        let press = day.from + minutes(9 * 60)
        let begins = press + minutes(60)
        let ahead = try line(at: minutes(9 * 60 + 50)) { $0.start(press, begins: begins) }
        #expect(picture(ahead, hourWidth: 12).hasPrefix("............wwwww."))
        let line = try line(at: minutes(10 * 60 + 10)) { $0.start(press, begins: begins) }
        #expect(picture(line, hourWidth: 12).hasPrefix("WWwww."))
    }

    @Test("overtime runs on past the planned end, and nothing of it is ahead")
    func overtime() throws {
        let begin = day.from + minutes(9 * 60)
        for pause in [false, true] {
            let line = try line(at: minutes(9 * 60 + 40)) {
                $0.set("overtime", 1, begin)
                let run = $0.start(begin)
                if pause { $0.pause(run, begin + minutes(40)) }
            }
            #expect(picture(line, hourWidth: 12).hasPrefix("WWWWWWWW."))
            #expect(line.parts.map(\.isAhead) == [false])
        }
    }

    @Test("what is of the day before or after isn't on the line")
    func midnight() throws {
        let line = try line(at: minutes(10)) { $0.start(day.from - minutes(10)) }
        #expect(line.parts.first?.span.from == day.from)
        #expect(picture(line, hourWidth: 12).hasPrefix("WWw."))
        let late = try self.line(at: minutes(23 * 60 + 50)) { $0.start(day.to - minutes(15)) }
        #expect(late.parts.last?.span.to == day.to)
        #expect(picture(late, hourWidth: 12).hasSuffix(".Www"))
    }

    @Test("between two phases of work is a gap, and a narrow line still has a column for each that fills it")
    func gaps() throws {
        let begin = day.from + minutes(9 * 60)
        let line = try line(at: minutes(12 * 60)) { log in
            for number in 0..<3 as Range<Int64> {
                let from = begin + minutes(30 * number)
                log.add(
                    .record(
                        .init(
                            activity: "work", startedAt: from, endedAt: from + minutes(30),
                            outcome: "completed", label: "", source: "\(number)")), from + minutes(30))
            }
        }
        #expect(picture(line, hourWidth: 6).hasPrefix("WW.WW.WWW."))
        #expect(picture(line, hourWidth: 1).hasPrefix("WW......"))
        #expect(line.columns(0).isEmpty)
    }
}
