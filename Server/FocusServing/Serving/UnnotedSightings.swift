import FocusCore
import FocusServerStore

/// What was last heard of devices, where the store doesn't have that yet.
struct UnnotedSightings {
    private var sightings: [Digest: Sighting] = [:]
    /// Whether devices came or went since the store was told.
    private(set) var isDue = false

    var isEmpty: Bool { sightings.isEmpty }

    /// A device came, or went.
    ///
    /// - Parameter program: the one that it came with; nil where that isn't told: then the last one counts.
    mutating func note(_ device: Digest, at now: SharedInstant, hasCome: Bool, program: String?) {
        sightings[device] = Sighting(
            time: now, connectedSince: hasCome ? now : nil, program: program ?? sightings[device]?.program)
        isDue = true
    }

    /// The store is told now: gives what it doesn't have.
    mutating func takeAll() -> [Digest: Sighting] {
        defer { self = UnnotedSightings() }
        return sightings
    }
}
