import FocusCore
import FocusText

/// A time zone that a calendar defines (RFC 5545 §3.6.5). Its properties are added as their lines come.
struct CalendarZone {
    /// A part of a zone: an offset, and the times at which the clocks are set to it.
    private struct Observance {
        let line: Int
        /// The first change (DTSTART), by the clocks before it.
        var first: CivilTime?
        /// The offset before a change (TZOFFSETFROM).
        var offsetBefore: Duration?
        /// The offset after a change (TZOFFSETTO).
        var offsetAfter: Duration?
        var rules: [ContentLine] = []
        /// Further changes (RDATE), by the clocks before them.
        var extraDates: [CivilTime] = []
    }

    /// The changes of the clocks by one observance.
    private struct Changes {
        /// The most years between two changes by one rule. The rarest rule is a fifth Sunday of February: there
        /// is one every 28 years, but none for 40 years around 1900, which had no leap day.
        static let longestGap: Int64 = 40

        /// The first change, by the clocks before it.
        let first: CivilTime
        /// The time by which the clocks are ahead of UTC before a change.
        let offsetBefore: Duration
        /// The time by which the clocks are ahead of UTC after a change.
        let offsetAfter: Duration
        let rules: [YearlyRule]
        /// Further changes, by the clocks before them.
        let extraDates: [CivilTime]

        /// Returns all changes in `years`, and for each rule the last one before them.
        func instants(_ years: ClosedRange<Int64>) -> [SharedInstant] {
            // These times are by the clocks before the change. Their `utc` is the instant at which clocks of
            // UTC show the same; minus `offsetBefore` it is the instant of the change.
            var times = [first] + extraDates
            for rule in rules {
                // If a rule has ended, its last change still sets the clocks. That change may lie far back.
                let last = rule.until.map { CivilTime(utc: $0).day.date.year } ?? .max
                // `until` is in UTC. By local clocks, the last change may be in the next year.
                let newest = min(years.upperBound, last + (last < .max ? 1 : 0))
                // Goes back from the newest year, and ends at the last change before `years`.
                for year in stride(
                    from: newest, through: newest - Changes.longestGap - Int64(years.count), by: -1)
                {
                    guard let change = rule.change(in: year) else { continue }
                    guard change.utc >= first.utc else { break }
                    guard change.utc - offsetBefore <= rule.until ?? .distantFuture else { continue }
                    times.append(change)
                    if year < years.lowerBound { break }
                }
            }
            return times.map { $0.utc - offsetBefore }
        }
    }

    private(set) var name: String?
    private var observances: [Observance] = []
    /// The first problem that keeps the zone from being read.
    private var problem: FileFormatError?
    /// The number of the zone's observances, rules and dates.
    private(set) var size = 0

    /// Begins an observance.
    mutating func beginObservance(line: Int) {
        observances.append(Observance(line: line))
        size += 1
    }

    /// Adds a line of the zone itself.
    mutating func add(_ line: ContentLine) {
        if line.name == "TZID" { name = line.value }
    }

    /// Adds a line of the last observance.
    mutating func addToObservance(_ line: ContentLine) {
        do throws(FileFormatError) { try read(line) } catch { problem = problem ?? error }
    }

    private mutating func read(_ line: ContentLine) throws(FileFormatError) {
        // A zone with more rules isn't used (`CalendarZones.define`), so the rest of its lines isn't read.
        guard let last = observances.indices.last, size <= CalendarZones.ruleLimit else { return }
        switch line.name {
        case "DTSTART": observances[last].first = try CalendarZone.time(line.value, line)
        case "TZOFFSETFROM": observances[last].offsetBefore = try CalendarZone.offset(line)
        case "TZOFFSETTO": observances[last].offsetAfter = try CalendarZone.offset(line)
        case "RRULE":
            observances[last].rules.append(line)
            size += 1
        case "RDATE":
            for text in line.value.split(separator: ",") {
                size += 1
                observances[last].extraDates.append(try CalendarZone.time(String(text), line))
            }
        default: return
        }
    }

    /// Returns the zone, after all of its lines were added. Cost: O(n log n) in its rules
    /// and dates times the years.
    ///
    /// - Parameter years: The years in which the zone has to be right. It may be wrong long before them.
    /// - Throws: `FileFormatError` if a required property is missing, or a rule is of an unsupported kind.
    func zone(in years: ClosedRange<Int64>) throws(FileFormatError) -> LocalZone {
        if let problem { throw problem }
        var changes: [Changes] = []
        for observance in observances {
            guard let first = observance.first, let before = observance.offsetBefore,
                let after = observance.offsetAfter
            else {
                throw FileFormatError(
                    line: observance.line, "a part of a time zone lacks DTSTART, TZOFFSETFROM or TZOFFSETTO")
            }
            var rules: [YearlyRule] = []
            // If all observances have the same offset, the times of the changes don't matter.
            for line in observance.rules where observances.contains(where: { $0.offsetAfter != after }) {
                guard let rule = YearlyRule(line.value, first: first) else {
                    throw FileFormatError(
                        line: line.number, "a time zone has a rule that isn't read: '\(line.value)'")
                }
                rules.append(rule)
            }
            changes.append(
                Changes(
                    first: first, offsetBefore: before, offsetAfter: after, rules: rules,
                    extraDates: observance.extraDates))
        }
        let sorted = changes.sorted {
            $0.first.utc - $0.offsetBefore < $1.first.utc - $1.offsetBefore
        }
        var offsets: [(instant: SharedInstant, offset: Duration)] = [
            (.distantPast, sorted.first?.offsetBefore ?? .zero)
        ]
        // Of several changes at one instant, the first counts.
        let all = sorted.flatMap { change in
            change.instants(years).map { (instant: $0, offset: change.offsetAfter) }
        }
        let order = all.indices.sorted { (all[$0].instant, $0) < (all[$1].instant, $1) }
        for index in order where all[index].instant > offsets[offsets.count - 1].instant {
            offsets.append(all[index])
        }
        return LocalZone { [offsets] instant in
            // All changes are at whole seconds, so a fraction makes no difference.
            let second = SharedInstant(seconds: instant.seconds)
            var low = 0
            var high = offsets.count
            while high - low > 1 {
                let middle = (low + high) / 2
                if offsets[middle].instant <= second { low = middle } else { high = middle }
            }
            return offsets[low].offset
        }
    }

    private static func time(_ text: String, _ line: ContentLine) throws(FileFormatError) -> CivilTime {
        guard let time = CivilTime(basic: text) else {
            throw FileFormatError(
                line: line.number, "\(line.name) is '\(text)', and not a time as in 19700329T020000")
        }
        return time
    }

    /// Returns an offset like `+0100` or `+010000` (§3.3.14).
    private static func offset(_ line: ContentLine) throws(FileFormatError) -> Duration {
        var scanner = TimeScanner(line.value)
        let isWest = line.value.hasPrefix("-")
        guard scanner.skip("+-"), let hours = scanner.number(2), let minutes = scanner.number(2),
            let seconds = scanner.isAtEnd ? 0 : scanner.number(2), scanner.isAtEnd, hours < 24, minutes < 60,
            seconds < 60
        else {
            throw FileFormatError(
                line: line.number, "\(line.name) is '\(line.value)', and not an offset as in +0100")
        }
        return .seconds((isWest ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds))
    }
}

/// The time zones of a calendar: its own definitions, and for other names the system's zones.
struct CalendarZones {
    /// The most observances, rules and dates in all zones of a file: far more than all zones on earth have.
    static let ruleLimit = 20_000
    /// The years in which zones have to be right. A file may have events in any year, so this limits the number
    /// of changes to compute.
    private static let supportedYears: ClosedRange<Int64> = 1969...2105

    private enum Lookup {
        case zone(LocalZone)
        /// The file defines the zone in a way that can't be read.
        case bad(FileFormatError)
        case unknown
    }

    /// The zone of times without a zone.
    let local: LocalZone
    private let system: (String) -> LocalZone?
    private var defined: [String: CalendarZone] = [:]
    /// The zones looked up so far, by name.
    private var cache: [String: Lookup] = [:]
    /// The number of observances, rules and dates that further zones may have.
    private var rulesLeft = CalendarZones.ruleLimit
    /// The years of events, and one year before and after them; nil if no event is in a zone.
    private var years: ClosedRange<Int64>?

    init(local: LocalZone, system: @escaping (String) -> LocalZone?) {
        self.local = local
        self.system = system
    }

    /// Adds a zone that the file defines.
    mutating func define(_ zone: CalendarZone) {
        guard let name = zone.name else { return }
        rulesLeft -= zone.size
        defined[name] = rulesLeft >= 0 ? zone : nil
    }

    /// Notes that events have times in a year.
    mutating func use(in year: Int64) {
        let year = min(
            max(year, CalendarZones.supportedYears.lowerBound), CalendarZones.supportedYears.upperBound)
        years = min(years?.lowerBound ?? year, year - 1)...max(years?.upperBound ?? year, year + 1)
    }

    /// Returns the zone with this name.
    ///
    /// - Parameter line: The first line of the event that uses it.
    /// - Throws: `FileFormatError` if neither the file nor the system has a usable zone with this name.
    mutating func zone(_ name: String, _ line: Int) throws(FileFormatError) -> LocalZone {
        let found = cache[name] ?? resolved(name)
        cache[name] = found
        switch found {
        case .zone(let zone): return zone
        case .bad(let problem): throw FileFormatError(line: line, "in its time zone, \(problem)")
        case .unknown:
            throw FileFormatError(
                line: line, "the event is in a time zone that neither the file nor the system knows: \(name)")
        }
    }

    /// Looks up a zone in the file, and then in the system if the file has no usable one.
    private func resolved(_ name: String) -> Lookup {
        var problem: FileFormatError?
        if let zone = defined[name] {
            do throws(FileFormatError) {
                return .zone(try zone.zone(in: years ?? CalendarZones.supportedYears))
            } catch {
                problem = error
            }
        }
        // Some programs put a registry's name before the system's: /mozilla.org/20050126_1/Europe/Berlin.
        var rest = name[...]
        while true {
            if let zone = system(String(rest)) { return .zone(zone) }
            guard let slash = rest.firstIndex(of: "/") else { return problem.map { .bad($0) } ?? .unknown }
            rest = rest[slash...].dropFirst()
        }
    }
}
