package import FocusCore
package import FocusText

/// The time zones that the browser knows.
package enum BrowserZones {
    /// Returns the offset from UTC of a zone's clocks at an instant, or nil if the browser doesn't know the
    /// zone. The empty name stands for the browser's own zone.
    package typealias Offset = (_ name: String, _ instant: SharedInstant) -> Duration?

    // Not isolated: a browser's device has one thread, and the program sets it before all else.
    nonisolated(unsafe) private static var offset: Offset = { _, _ in nil }
    // As above.
    nonisolated(unsafe) private static var zones: [String: ZoneOffsets] = [:]

    /// Sets the function that asks the browser.
    package static func use(_ offset: @escaping Offset) {
        self.offset = offset
        zones = [:]
    }

    /// Returns the offset of a zone at an instant, or zero if it isn't known.
    fileprivate static func offset(_ name: String, at instant: SharedInstant) -> Duration {
        if let zone = zones[name] { return zone.offset(at: instant) }
        let zone = ZoneOffsets { BrowserZones.offset(name, $0) ?? .zero }
        zones[name] = zone
        return zone.offset(at: instant)
    }

    /// Returns whether the browser knows the zone.
    fileprivate static func knows(_ name: String) -> Bool { offset(name, .zero) != nil }
}

extension Zone {
    /// The browser's own time zone.
    package static var current: Zone { Zone(known: "") }

    /// The zone of this name, such as `Europe/Berlin`, or nil if the browser doesn't know it.
    package init?(named name: String) {
        guard Zone.isName(name), BrowserZones.knows(name) else { return nil }
        // Browsers give no abbreviations. This one is the zone's name.
        self = name == "UTC" || name == "Etc/UTC" ? .utc : Zone(known: name)
    }

    private init(known name: String) {
        self.init(
            calendar: LocalCalendar { BrowserZones.offset(name, at: $0) },
            clocks: LocalZone { BrowserZones.offset(name, at: $0) }
        ) { ZoneName(abbreviation: nil, offset: BrowserZones.offset(name, at: $0)) }
    }
}

extension LocalCalendar {
    /// The days in the browser's own time zone.
    package static var current: LocalCalendar { Zone.current.calendar }
}

extension LocalZone {
    /// The clocks in the browser's own time zone.
    package static var current: LocalZone { Zone.current.clocks }
}
