package import FocusCore

/// The offset of a place's clocks from UTC, at any instant. It is a parameter of pure code; the system's time
/// zone or a calendar's definition provides it.
package struct LocalZone: Sendable {
    private let ahead: @Sendable (SharedInstant) -> Duration

    /// - Parameter offset: The time by which the place's clocks are ahead of UTC at an instant, in whole
    ///   seconds. It changes at most once in two days.
    package init(offset: @escaping @Sendable (SharedInstant) -> Duration) { ahead = offset }

    /// The zone of UTC.
    package static let utc = LocalZone { _ in .zero }

    /// Returns the time by which the place's clocks are ahead of UTC at an instant.
    package func offset(at instant: SharedInstant) -> Duration { ahead(instant) }

    /// Returns the date and time that the place's clocks show at an instant.
    package func time(at instant: SharedInstant) -> CivilTime {
        CivilTime(utc: instant + offset(at: instant))
    }

    /// The instants at which a place's clocks show a certain date and time.
    package enum Reading: Hashable, Sendable {
        case once(SharedInstant)
        /// The clocks are set back, so they show the time twice.
        case twice(SharedInstant, SharedInstant)
        /// The clocks are set forward past the time. The value is the instant at which they would show it if
        /// they weren't set.
        case never(SharedInstant)

        /// The instants at which the clocks show it, in order.
        package var instants: [SharedInstant] {
            switch self {
            case .once(let instant): [instant]
            case .twice(let first, let second): [first, second]
            case .never: []
            }
        }

        /// The only or the first instant. For `never`, it is the instant at which the clocks would show the
        /// time if they weren't set forward (RFC 5545 §3.3.5).
        package var first: SharedInstant {
            switch self {
            case .once(let instant), .twice(let instant, _), .never(let instant): instant
            }
        }
    }

    /// Returns the instants at which the place's clocks show a date and time.
    package func reading(of time: CivilTime) -> Reading {
        let day = Duration.seconds(86_400)
        let before = offset(at: time.utc - day)
        let after = offset(at: time.utc + day)
        let instants = Set([before, after]).map { time.utc - $0 }.filter { self.time(at: $0) == time }
            .sorted()
        guard let first = instants.first else { return .never(time.utc - before) }
        return instants.count > 1 ? .twice(first, instants[1]) : .once(first)
    }

    /// Returns an instant in the notation of RFC 3339 with the place's offset, to the second:
    /// `2016-06-03T17:01:31-04:00`. Some offsets before 1970 weren't whole minutes. Such an offset is rounded
    /// down to whole minutes, and the time is adjusted accordingly.
    package func text(_ instant: SharedInstant) -> String {
        let offset = offset(at: instant).wholeMinutes
        let time = CivilTime(utc: instant + offset)
        return "\(time.extended)\(ZoneName.text(ofOffset: offset))"
    }
}

/// The offset of a place's clocks from UTC at an instant, and its name.
package struct ZoneName: Hashable, Sendable {
    /// The name, like `CET`; nil if the zone only has an offset.
    package let name: String?
    /// The time by which the clocks are ahead of UTC, in whole minutes.
    package let ahead: Duration

    /// - Parameters:
    ///   - abbreviation: The system's name. For a zone without a name it is the offset, like `+03`.
    ///   - offset: The time by which the clocks are ahead of UTC.
    package init(abbreviation: String?, offset: Duration) {
        name = abbreviation.flatMap { $0.isEmpty || $0.hasPrefix("+") || $0.hasPrefix("-") ? nil : $0 }
        ahead = offset.wholeMinutes
    }

    /// The zone, for people: `CET (UTC+1)`, or `UTC+5:30` without a name.
    package var text: String {
        guard let name, name != offset else { return offset }
        return "\(name) (\(offset))"
    }

    /// The offset, for people: `UTC+1`, `UTC+5:30`.
    package var offset: String {
        let (hours, rest) = ahead.hoursAndMinutes
        let digits = "\(hours)" + (rest == 0 ? "" : rest < 10 ? ":0\(rest)" : ":\(rest)")
        return ahead == .zero ? "UTC" : "UTC\(ahead < .zero ? "-" : "+")\(digits)"
    }

    /// The zone, for programs: `{"name":"CET","offset":"+01:00"}`. The offset is in the notation of RFC 3339.
    package var json: JSON {
        .object([
            JSON.Member("name", .optional(name)),
            JSON.Member("offset", .string(ZoneName.text(ofOffset: ahead))),
        ])
    }

    /// Returns an offset in the notation of RFC 3339: `-04:00`.
    static func text(ofOffset offset: Duration) -> String {
        let (hours, rest) = offset.hoursAndMinutes
        let digits = [hours, rest].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(offset < .zero ? "-" : "+")\(digits)"
    }
}

extension Duration {
    /// The duration, rounded down to whole minutes.
    fileprivate var wholeMinutes: Duration { .seconds(inSeconds.floored(by: 60).quotient * 60) }

    /// The whole hours of the magnitude, and the remaining minutes.
    fileprivate var hoursAndMinutes: (hours: Int64, rest: Int64) {
        let (hours, rest) = (Int64(inSeconds.magnitude) / 60).floored(by: 60)
        return (hours, rest)
    }
}
