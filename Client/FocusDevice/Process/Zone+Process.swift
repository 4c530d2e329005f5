package import FocusCore
package import FocusText
import SystemKit

// The time zones that this machine knows.
extension Zone {
    /// The local time zone, by the present TZ or the system's setting.
    package static var current: Zone {
        Zone(calendar: .current, clocks: .current) { ZoneName.current(at: $0) }
    }

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
        self.init(
            calendar: LocalCalendar { file.stretch(at: $0).offset },
            clocks: LocalZone { file.stretch(at: $0).offset }
        ) { instant in
            let stretch = file.stretch(at: instant)
            return ZoneName(abbreviation: stretch.abbreviation, offset: stretch.offset)
        }
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
}

extension LocalCalendar {
    /// The days in the local time zone, by the present TZ or the system's setting.
    package static var current: LocalCalendar {
        tzset()
        return LocalCalendar { instant in .seconds(tm(localAt: instant).tm_gmtoff) }
    }
}

extension LocalZone {
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
