import FocusCore
package import FocusDevice
import FocusStore
import FocusSync

/// Keeps the state of an agent's connection, and records it for commands. Also records shared time, and the
/// last contact with the server.
package final class LinkRecorder {
    @Weak var agent: Agent?
    private let device: Device
    private let time: any Scheduler
    /// The state of the connection.
    package private(set) var link = ConnectionState(.offline)
    /// When the state of the connection was last recorded.
    private var recordedAt = SteadyInstant.zero
    /// When contact with the server was last recorded; nil if it never was.
    private var heardAt: SteadyInstant?
    /// The estimate of shared time that isn't recorded yet.
    private var clock: ClockEstimate?

    init(_ device: Device, time: any Scheduler) {
        self.device = device
        self.time = time
    }

    /// Records the connection's state for status views.
    func record(_ link: ConnectionState) {
        self.link = link
        recordedAt = time.now()
        agent?.attempt { () throws(StoreError) in try device.record(link) }
        agent?.observer?.changed(.link)
    }

    /// Records the connection's state again before its record becomes invalid. Also records shared time if an
    /// earlier attempt failed.
    func renew() {
        if link.state != .offline, time.now() - recordedAt > ConnectionState.validity / 3 { record(link) }
        recordClock()
    }

    /// Records the estimate of shared time. If that fails, for example on a full disk, it is tried again
    /// every few seconds, because the next estimate may be minutes away.
    func record(_ clock: ClockEstimate) {
        self.clock = clock
        recordClock()
    }

    private func recordClock() {
        guard let clock else { return }
        agent?.attempt { () throws(StoreError) in
            try device.record(clock)
            self.clock = nil
        }
    }

    /// Records that the server was heard just now, at most once in 5 seconds. That is often enough: a `start`
    /// counts as offline only after 30 seconds of silence.
    func recordContact() {
        let now = time.now()
        if let heardAt, now - heardAt <= .seconds(5) { return }
        heardAt = now
        agent?.attempt { () throws(StoreError) in try device.recordContact() }
    }

    /// Records which devices are connected now.
    func record(_ presence: [Presence]) {
        var online = Set(link.online)
        for device in presence {
            if device.isConnected {
                // If a server reports more devices than a group can have, the others are left out.
                guard online.count < Limits.devices else { continue }
                online.insert(device.device)
            } else {
                online.remove(device.device)
            }
        }
        record(ConnectionState(.online, online: online.sorted { $0.precedes($1) }))
    }
}
