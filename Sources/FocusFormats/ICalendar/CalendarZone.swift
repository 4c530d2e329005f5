import FocusCore
import FocusText

/// A time zone as a calendar defines it (RFC 5545 §3.6.5), property by property as its lines come.
struct CalendarZone {
    /// A part of a zone: since when its clocks have stood so, and when they are set to it again.
    private struct Observance {
        let line: Int
        var first: CivilTime?
        var from: Duration?
        var to: Duration?
        var rules: [ContentLine] = []
        var others: [CivilTime] = []
    }

    /// Changes of the clocks that follow one rule.
    private struct Changes: Sendable {
        /// How many years may lie between two changes by one rule: a February has a fifth Sunday every 28 years, and
        /// 40 around 1900.
        static let longestGap: Int64 = 40

        /// The first of them, by the clocks before it.
        let first: CivilTime
        /// How far the clocks were and are ahead of UTC.
        let from: Duration
        let to: Duration
        let rules: [YearlyRule]
        let others: [CivilTime]

        /// The last change up to an instant; nil where there is none.
        func last(upTo instant: SharedInstant) -> SharedInstant? {
            var times = [first] + others
            let year = CivilTime(utc: instant).day.date.year
            for rule in rules {
                // A rule that has ended says since when the clocks have stood so: its last change may lie far back.
                let last = min(year, rule.until.map { CivilTime(utc: $0).day.date.year } ?? year)
                for year in stride(from: last + 1, through: last - Changes.longestGap, by: -1) {
                    guard let day = rule.day(in: year) else { continue }
                    let change = SharedInstant.midnight(of: day) + first.sinceMidnight
                    guard change >= first.utc else { break }
                    guard change - from <= rule.until ?? .distantFuture, change - from <= instant else {
                        continue
                    }
                    times.append(CivilTime(utc: change))
                    break
                }
            }
            return times.map { $0.utc - from }.filter { $0 <= instant }.max()
        }
    }

    private(set) var name: String?
    private var observances: [Observance] = []

    /// Begins one of the zone's parts.
    mutating func beginObservance(line: Int) { observances.append(Observance(line: line)) }

    /// Takes in a line of the zone itself.
    mutating func add(_ line: ContentLine) {
        if line.name == "TZID" { name = line.value }
    }

    /// Takes in a line of the part that was begun last.
    mutating func addToObservance(_ line: ContentLine) throws(BadFile) {
        guard let last = observances.indices.last else { return }
        switch line.name {
        case "DTSTART": observances[last].first = try CalendarZone.time(line.value, line)
        case "TZOFFSETFROM": observances[last].from = try CalendarZone.offset(line)
        case "TZOFFSETTO": observances[last].to = try CalendarZone.offset(line)
        case "RRULE": observances[last].rules.append(line)
        case "RDATE":
            for text in line.value.split(separator: ",") {
                observances[last].others.append(try CalendarZone.time(String(text), line))
            }
        default: return
        }
    }

    /// The zone, once all of its lines are there.
    ///
    /// - Throws: where it says too little, or has rules of a kind that isn't read.
    func zone() throws(BadFile) -> LocalZone {
        var changes: [Changes] = []
        for observance in observances {
            guard let first = observance.first, let from = observance.from, let to = observance.to else {
                throw BadFile(
                    line: observance.line, "a part of a time zone lacks DTSTART, TZOFFSETFROM or TZOFFSETTO")
            }
            var rules: [YearlyRule] = []
            for line in observance.rules {
                guard let rule = YearlyRule(line.value, first: first) else {
                    throw BadFile(
                        line: line.number, "a time zone has a rule that isn't read: '\(line.value)'")
                }
                rules.append(rule)
            }
            changes.append(Changes(first: first, from: from, to: to, rules: rules, others: observance.others))
        }
        let sorted = changes.sorted { $0.first.utc - $0.from < $1.first.utc - $1.from }
        let before = sorted.first?.from ?? .zero
        return LocalZone { instant in
            // It goes by whole seconds.
            let second = SharedInstant(seconds: instant.seconds)
            let last = sorted.compactMap { change in change.last(upTo: second).map { ($0, change.to) } }
                .max { $0.0 < $1.0 }
            return last?.1 ?? before
        }
    }

    private static func time(_ text: String, _ line: ContentLine) throws(BadFile) -> CivilTime {
        guard let time = CivilTime(basic: text) else {
            throw BadFile(
                line: line.number, "\(line.name) is '\(text)', and not a time as in 19700329T020000")
        }
        return time
    }

    /// An offset as `+0100` or `+010000` (§3.3.14).
    private static func offset(_ line: ContentLine) throws(BadFile) -> Duration {
        var scanner = TimeScanner(line.value)
        let isWest = line.value.hasPrefix("-")
        guard scanner.skip("+-"), let hours = scanner.number(2), let minutes = scanner.number(2),
            let seconds = scanner.isAtEnd ? 0 : scanner.number(2), scanner.isAtEnd, hours < 24, minutes < 60,
            seconds < 60
        else {
            throw BadFile(
                line: line.number, "\(line.name) is '\(line.value)', and not an offset as in +0100")
        }
        return .seconds((isWest ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds))
    }
}
