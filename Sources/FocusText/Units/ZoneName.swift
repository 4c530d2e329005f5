import FocusCore

/// How the clocks of a place stand to UTC at an instant, and what people there call that.
package struct ZoneName: Hashable, Sendable {
    /// As `CET`; nil where it has none but the offset.
    package let name: String?
    /// How far the clocks are ahead of UTC, in whole minutes.
    package let minutes: Int64

    /// - Parameters:
    ///   - abbreviation: What the system calls it. Where a zone has no name, that is its offset, as `+03`.
    ///   - offset: How far the clocks are ahead of UTC, in seconds.
    package init(abbreviation: String?, offset: Int64) {
        name = abbreviation.flatMap { $0.isEmpty || $0.hasPrefix("+") || $0.hasPrefix("-") ? nil : $0 }
        minutes = offset.floored(by: 60).quotient
    }

    /// For people: `CET (UTC+1)`, and without a name `UTC+5:30`.
    package var text: String {
        guard let name, name != offset else { return offset }
        return "\(name) (\(offset))"
    }

    /// How far the clocks are ahead, for people: `UTC+1`, `UTC+5:30`.
    package var offset: String {
        let (hours, rest) = Int64(minutes.magnitude).floored(by: 60)
        let digits = "\(hours)" + (rest == 0 ? "" : rest < 10 ? ":0\(rest)" : ":\(rest)")
        return minutes == 0 ? "UTC" : "UTC\(minutes < 0 ? "-" : "+")\(digits)"
    }

    /// For programs: `{"name":"CET","offset":"+01:00"}`, the offset as RFC 3339 has it.
    package var json: JSON {
        .object([
            JSON.Member("name", .optional(name)),
            JSON.Member("offset", .string(ZoneName.offset(minutes: minutes))),
        ])
    }

    /// An offset as RFC 3339 has it: `-04:00`.
    static func offset(minutes: Int64) -> String {
        let (hours, rest) = Int64(minutes.magnitude).floored(by: 60)
        let digits = [hours, rest].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(minutes < 0 ? "-" : "+")\(digits)"
    }
}
