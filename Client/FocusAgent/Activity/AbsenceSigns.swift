package import FocusCore

/// A part of the desktop that tells whether somebody is at the laptop.
package enum ActivityOrigin: String, CaseIterable, Hashable, Sendable {
    /// The login manager: it knows whether the session is locked, and idle by the desktop's own measure.
    case logind
    /// GNOME's monitor of keys and pointers.
    case mutter
    /// The screen saver of KDE and other desktops. It knows whether it is active. On some desktops it also
    /// knows how long nobody was there.
    case screenSaver
}

/// The signs that nobody is at the laptop. Nobody is there while there is a sign.
package struct AbsenceSigns: Hashable, Sendable {
    /// A sign, by its kind and its origin.
    package enum Sign: Hashable, Sendable {
        /// The screen is locked, or the screen saver is active.
        case locked(ActivityOrigin)
        /// No key was pressed and no pointer was moved for `idleLimit`.
        case idle(ActivityOrigin)
    }

    /// The beginning of each sign.
    private var beginnings: [Sign: SteadyInstant] = [:]

    /// The time without a key press or a pointer movement after which there is a sign.
    package static let idleLimit = Duration.seconds(10 * 60)

    /// No signs.
    package init() {}

    /// Adds a sign, or removes it if `beginning` is nil. A sign that is there keeps its earlier beginning.
    package mutating func set(_ sign: Sign, since beginning: SteadyInstant?) {
        guard let beginning else { return beginnings[sign] = nil }
        beginnings[sign] = min(beginning, beginnings[sign] ?? beginning)
    }

    /// Removes all signs of an origin.
    package mutating func forget(_ origin: ActivityOrigin) {
        beginnings[.locked(origin)] = nil
        beginnings[.idle(origin)] = nil
    }

    /// Whether there is this sign.
    package func contains(_ sign: Sign) -> Bool { beginnings[sign] != nil }

    /// The instant since which nobody has been there, or nil if somebody is.
    package var absentSince: SteadyInstant? { beginnings.values.min() }
}
