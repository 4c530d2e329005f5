package import FocusCore
package import FocusText

/// A time zone by which days are counted: the local one, or a remote reader's.
package struct Zone: Sendable {
    /// The beginnings of the days in the zone.
    package let calendar: LocalCalendar
    /// The offset of the zone's clocks from UTC.
    package let clocks: LocalZone
    private let name: @Sendable (_ instant: SharedInstant) -> ZoneName

    /// Returns the zone's name at an instant.
    package func name(at instant: SharedInstant) -> ZoneName { name(instant) }

    /// A zone of these parts.
    ///
    /// - Parameter name: Returns the zone's name at an instant.
    package init(
        calendar: LocalCalendar, clocks: LocalZone, name: @escaping @Sendable (SharedInstant) -> ZoneName
    ) {
        self.calendar = calendar
        self.clocks = clocks
        self.name = name
    }

    /// The zone of UTC.
    package static let utc = Zone(calendar: .fixed(), clocks: .utc) { _ in
        ZoneName(abbreviation: "UTC", offset: .zero)
    }

    /// The longest name that is looked up, in bytes.
    private static let longestName = 64

    /// Whether a text has the form of a zone's name: words of letters, digits, `_`, `+` and `-`, separated by
    /// slashes. Each word begins with a letter.
    package static func isName(_ text: String) -> Bool {
        guard (1...longestName).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            guard let first = $0.first, isLetter(first) else { return false }
            return $0.allSatisfy { isLetter($0) || isDigit($0) || "_+-".utf8.contains($0) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

private enum ClockText {
    /// Returns the time as in `09:05`.
    static func text(hour: some BinaryInteger, minute: some BinaryInteger) -> String {
        "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension LocalZone {
    /// Returns the hour and minute at an instant, as in `09:05`.
    package func clock(_ instant: SharedInstant) -> String {
        let minutes = time(at: instant).sinceMidnight.inSeconds / 60
        return ClockText.text(hour: minutes / 60, minute: minutes % 60)
    }
}
