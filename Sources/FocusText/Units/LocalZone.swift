package import FocusCore

/// How the clocks of a place stand to UTC. The system knows, or a calendar says so; here it comes in as a parameter,
/// so that what goes by it is pure.
package struct LocalZone: Sendable {
    private let ahead: @Sendable (SharedInstant) -> Duration

    /// - Parameter offset: How far the place's clocks are ahead of UTC at an instant, in whole seconds. They change at
    ///   most once in two days.
    package init(offset: @escaping @Sendable (SharedInstant) -> Duration) { ahead = offset }

    /// The zone whose clocks show UTC at any instant.
    package static let utc = LocalZone { _ in .zero }

    /// How far the place's clocks are ahead of UTC at an instant.
    package func offset(at instant: SharedInstant) -> Duration { ahead(instant) }

    /// What the place's clocks show at an instant.
    package func time(at instant: SharedInstant) -> CivilTime {
        CivilTime(utc: instant + offset(at: instant))
    }

    /// When the place's clocks show some time.
    package enum Reading: Hashable, Sendable {
        case once(SharedInstant)
        /// The clocks are set back, so it comes twice.
        case twice(SharedInstant, SharedInstant)
        /// The clocks are set forward and leave it out. What it would be had they not been set yet.
        case never(SharedInstant)

        /// The instants at which it is shown, in order.
        package var instants: [SharedInstant] {
            switch self {
            case .once(let instant): [instant]
            case .twice(let first, let second): [first, second]
            case .never: []
            }
        }

        /// The only or the first instant; where there is none, what it would be had the clocks not been set yet: as
        /// RFC 5545 §3.3.5 reads local times.
        package var first: SharedInstant {
            switch self {
            case .once(let instant), .twice(let instant, _), .never(let instant): instant
            }
        }
    }

    /// When the place's clocks show this.
    package func reading(of time: CivilTime) -> Reading {
        let day = Duration.seconds(86_400)
        let before = offset(at: time.utc - day)
        let after = offset(at: time.utc + day)
        let instants = Set([before, after]).map { time.utc - $0 }.filter { self.time(at: $0) == time }
            .sorted()
        guard let first = instants.first else { return .never(time.utc - before) }
        return instants.count > 1 ? .twice(first, instants[1]) : .once(first)
    }

    /// An instant as RFC 3339 has it with the place's offset, to the second: `2016-06-03T17:01:31-04:00`. What an
    /// offset has beyond whole minutes, as some had before 1970, goes into the time.
    package func text(_ instant: SharedInstant) -> String {
        let offset = offset(at: instant).wholeMinutes
        let time = CivilTime(utc: instant + offset)
        return "\(time.extended)\(ZoneName.text(ofOffset: offset))"
    }
}

/// How the clocks of a place stand to UTC at an instant, and what people there call that.
package struct ZoneName: Hashable, Sendable {
    /// As `CET`; nil where it has none but the offset.
    package let name: String?
    /// How far the clocks are ahead of UTC, in whole minutes.
    package let ahead: Duration

    /// - Parameters:
    ///   - abbreviation: What the system calls it. Where a zone has no name, that is its offset, as `+03`.
    ///   - offset: How far the clocks are ahead of UTC.
    package init(abbreviation: String?, offset: Duration) {
        name = abbreviation.flatMap { $0.isEmpty || $0.hasPrefix("+") || $0.hasPrefix("-") ? nil : $0 }
        ahead = offset.wholeMinutes
    }

    /// For people: `CET (UTC+1)`, and without a name `UTC+5:30`.
    package var text: String {
        guard let name, name != offset else { return offset }
        return "\(name) (\(offset))"
    }

    /// How far the clocks are ahead, for people: `UTC+1`, `UTC+5:30`.
    package var offset: String {
        let (hours, rest) = ahead.hoursAndMinutes
        let digits = "\(hours)" + (rest == 0 ? "" : rest < 10 ? ":0\(rest)" : ":\(rest)")
        return ahead == .zero ? "UTC" : "UTC\(ahead < .zero ? "-" : "+")\(digits)"
    }

    /// For programs: `{"name":"CET","offset":"+01:00"}`, the offset as RFC 3339 has it.
    package var json: JSON {
        .object([
            JSON.Member("name", .optional(name)),
            JSON.Member("offset", .string(ZoneName.text(ofOffset: ahead))),
        ])
    }

    /// An offset as RFC 3339 has it: `-04:00`.
    static func text(ofOffset offset: Duration) -> String {
        let (hours, rest) = offset.hoursAndMinutes
        let digits = [hours, rest].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(offset < .zero ? "-" : "+")\(digits)"
    }
}

extension Duration {
    /// The minutes of it that are whole, rounded down.
    fileprivate var wholeMinutes: Duration { .seconds(inSeconds.floored(by: 60).quotient * 60) }

    /// How long it is, whichever way.
    fileprivate var hoursAndMinutes: (hours: Int64, rest: Int64) {
        let (hours, rest) = (Int64(inSeconds.magnitude) / 60).floored(by: 60)
        return (hours, rest)
    }
}
