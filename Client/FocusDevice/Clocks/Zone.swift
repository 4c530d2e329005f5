package import FocusCore
package import FocusText
import SystemKit

/// A time zone by which days are counted: the local one, or a remote reader's.
package struct Zone: Sendable {
    /// The beginnings of the days in the zone.
    package let calendar: LocalCalendar
    /// The offset of the zone's clocks from UTC.
    package let clocks: LocalZone
    private let name: @Sendable (_ instant: SharedInstant) -> ZoneName

    /// Returns the zone's name at an instant.
    package func name(at instant: SharedInstant) -> ZoneName { name(instant) }

    /// The local time zone, by the present TZ or the system's setting.
    package static var current: Zone {
        Zone(calendar: .current, clocks: .current) { ZoneName.current(at: $0) }
    }

    /// The longest name that is looked up, in bytes.
    private static let longestName = 64
    /// The largest zone file that is read, in bytes: far more than any needs.
    private static let longestFile = 65536
    /// The folders in which systems keep zone files.
    private static let folders = ["/usr/share/zoneinfo", "/etc/zoneinfo"]

    /// The zone of this name, such as `Europe/Berlin`, or nil if the system doesn't know it.
    ///
    /// - Parameter name: A name from any source: anything that isn't a zone's name opens no file.
    package init?(named name: String) {
        guard Zone.isName(name),
            let file = Zone.folders.lazy.compactMap({ Zone.file("\($0)/\(name)") }).first
        else { return nil }
        calendar = LocalCalendar { file.stretch(at: $0).offset }
        clocks = LocalZone { file.stretch(at: $0).offset }
        self.name = { instant in
            let stretch = file.stretch(at: instant)
            return ZoneName(abbreviation: stretch.abbreviation, offset: stretch.offset)
        }
    }

    /// Whether a text has the form of a zone's name: words of letters, digits, `_`, `+` and `-`, separated by
    /// slashes. Each word begins with a letter.
    package static func isName(_ text: String) -> Bool {
        guard (1...longestName).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            guard let first = $0.first, isLetter(first) else { return false }
            return $0.allSatisfy { isLetter($0) || isDigit($0) || "_+-".utf8.contains($0) }
        }
    }

    private init(
        calendar: LocalCalendar, clocks: LocalZone, name: @escaping @Sendable (SharedInstant) -> ZoneName
    ) {
        self.calendar = calendar
        self.clocks = clocks
        self.name = name
    }

    private static func file(_ path: String) -> ZoneFile? {
        // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (1...longestFile).contains(Int(status.st_size))
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
        return ZoneFile(bytes)
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

extension LocalCalendar {
    /// The days in the local time zone, by the present TZ or the system's setting.
    package static var current: LocalCalendar {
        tzset()
        return LocalCalendar { instant in .seconds(tm(localAt: instant).tm_gmtoff) }
    }
}

extension LocalZone {
    /// Returns the hour and minute at an instant, as in `09:05`.
    package func clock(_ instant: SharedInstant) -> String {
        let minutes = time(at: instant).sinceMidnight.inSeconds / 60
        return ClockText.text(hour: minutes / 60, minute: minutes % 60)
    }

    /// The clocks in the local time zone, by the present TZ or the system's setting.
    package static var current: LocalZone {
        tzset()
        return LocalZone { instant in .seconds(tm(localAt: instant).tm_gmtoff) }
    }
}

extension ZoneName {
    /// Returns the name of the local time zone at an instant, by the present TZ or the system's setting.
    package static func current(at instant: SharedInstant) -> ZoneName {
        tzset()
        let parts = tm(localAt: instant)
        return ZoneName(
            abbreviation: parts.tm_zone.map { String(cString: $0) }, offset: .seconds(parts.tm_gmtoff))
    }
}

extension tm {
    /// The local time at an instant.
    fileprivate init(localAt instant: SharedInstant) {
        self.init()
        var time = time_t(instant.seconds)
        localtime_r(&time, &self)
    }
}
