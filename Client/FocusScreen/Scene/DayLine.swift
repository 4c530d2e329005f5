package import FocusCore
import FocusDevice
package import FocusText

/// Today's phases on a line of whole hours, with the rest of the present phase.
package struct DayLine: Hashable, Sendable {
    /// A span in which a phase ran, or the time that it has left.
    package struct Part: Hashable, Sendable {
        /// The span within today.
        package let span: Interval
        /// The colour theme of the phase.
        package let theme: Presentation.Theme
        /// The number of the phase on the line, from 0.
        package let phase: Int
        /// Whether it is the time that is left.
        package let isAhead: Bool
    }

    /// The beginning of an hour on the line.
    package struct Hour: Hashable, Sendable {
        /// The instant of the beginning.
        package let start: SharedInstant
        /// The hour by the local clock, as two digits.
        package let name: String
    }

    /// The parts, in the order of their phases.
    package let parts: [Part]
    /// The hours, from the beginning of the line to its end.
    package let hours: [Hour]
    /// The present instant.
    package let now: SharedInstant
    /// The span of the line.
    private let span: Interval

    /// The shortest line, so that a day begins with room ahead.
    private static let leastLength = Duration.seconds(8 * 3600)
    private static let hour = Duration.seconds(3600)
    /// The maximum number of hours that begin in a day, and its end.
    private static let mostHours = 26

    /// The line of a day.
    ///
    /// - Parameters:
    ///   - records: The phases that have ended. Those of other days are left out.
    ///   - day: The span of today.
    ///   - zone: The zone of the hours.
    package init(
        _ records: [PhaseRecord], _ timer: TimerState, of day: Interval, _ zone: LocalZone,
        at now: SharedInstant
    ) {
        var parts: [Part] = []
        func append(_ spans: [Interval], _ activity: Activity, _ phase: Int, isAhead: Bool = false) {
            for span in spans {
                let cut = Interval(from: max(span.from, day.from), to: min(span.to, day.to))
                guard cut.from < cut.to else { continue }
                parts.append(
                    Part(span: cut, theme: activity.isBreak ? .rest : .work, phase: phase, isAhead: isAhead))
            }
        }
        for (phase, record) in records.enumerated() {
            append(record.spans.intervals, record.activity, phase)
        }
        switch timer.status {
        case .stopped: break
        case .waiting(let run, let begins, _):
            let phase = Interval(from: begins, to: begins + run.length)
            append([phase], run.activity, records.count, isAhead: true)
        case .running(let run, _, _), .paused(let run, _):
            let spans = run.spans.intervals
            append(spans, run.activity, records.count)
            let rest = Interval(from: max(now, spans.last?.to ?? now), to: timer.end ?? now)
            append([rest], run.activity, records.count, isAhead: true)
        }
        self.parts = parts
        self.now = now
        let first = parts.reduce(now) { min($0, $1.span.from) }
        let last = parts.reduce(now) { max($0, $1.span.to) }
        var from = max(day.from, DayLine.start(ofHour: first, zone))
        var to = min(day.to, DayLine.start(ofHour: last - .milliseconds(1), zone) + DayLine.hour)
        to = min(day.to, max(to, from + DayLine.leastLength))
        from = max(day.from, min(from, to - DayLine.leastLength))
        span = Interval(from: from, to: to)
        hours = (0..<DayLine.mostHours).map { from + DayLine.hour * $0 }.filter { $0 <= to }.map {
            Hour(start: $0, name: String(zone.clock($0).prefix(2)))
        }
    }

    private static func start(ofHour instant: SharedInstant, _ zone: LocalZone) -> SharedInstant {
        let sinceMidnight = zone.time(at: instant).sinceMidnight
        return instant - .milliseconds(sinceMidnight.inMilliseconds % hour.inMilliseconds)
    }

    /// Returns the column of an instant, if the line is `width` columns long: 0…`width`.
    package func place(of instant: SharedInstant, _ width: Int) -> Int {
        max(0, min(width, Int(position(of: instant, width))))
    }

    /// Returns the distance of an instant from the line's beginning, in columns.
    private func position(of instant: SharedInstant, _ width: Int) -> Double {
        let whole = max(span.length, .milliseconds(1))
        return Double((instant - span.from).inMilliseconds) / Double(whole.inMilliseconds) * Double(width)
    }

    /// Returns for each of `width` columns the part that takes most of it, at least a quarter, or nil. Between
    /// two phases of one theme a column is left free, because they would look like one.
    package func columns(_ width: Int) -> [Part?] {
        var found = [(part: Part, share: Double)?](repeating: nil, count: max(0, width))
        for part in parts {
            let (from, to) = (position(of: part.span.from, width), position(of: part.span.to, width))
            for column in found.indices.clamped(to: Int(from)..<Int(to) + 1) {
                let share = min(to, Double(column + 1)) - max(from, Double(column))
                guard share >= 0.25, share > found[column]?.share ?? 0 else { continue }
                found[column] = (part, share)
            }
        }
        return found.indices.map { column -> Part? in
            guard let part = found[column]?.part, column > 0, column + 1 < found.count,
                let next = found[column + 1]?.part
            else { return found[column]?.part }
            let wouldTouch = next.phase != part.phase && next.theme == part.theme
            return wouldTouch && found[column - 1]?.part.phase == part.phase ? nil : part
        }
    }
}
