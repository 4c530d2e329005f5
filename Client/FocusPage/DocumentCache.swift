import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText

/// The history that documents are made from, and the last document of each kind. Both are made again only if
/// something that they depend on has changed. It belongs to one thread.
package final class DocumentCache {
    private var history = KnownHistory()
    /// The last result of `read`.
    private var last: Reading?
    private var catchUp = CatchUp()
    private var documents: [PageRequest.Route: Document] = [:]

    /// A document, and its inputs.
    private struct Document {
        let inputs: Inputs
        /// The bytes after the instant.
        let rest: [UInt8]
    }

    /// Everything that a document depends on, apart from its instant.
    private struct Inputs: Equatable {
        let request: PageRequest
        /// The version of the history.
        let history: Int
        let settings: Settings
        let devices: [ReplicaID: ReplayState.Device]
        /// The device's own replicas, or nil if it is in no group.
        let own: Set<ReplicaID>?
        let today: Day
        let zone: ZoneName
    }

    /// A log as it is read for a document.
    struct Reading {
        let state: ReplayState
        let history: History
        /// The device's own replicas, or nil if it is in no group.
        let own: Set<ReplicaID>?
        let now: SharedInstant
    }

    /// The longest document that is kept, in bytes. Longer ones are rarely read.
    private static let limit = 256 << 10

    /// A cache without documents.
    package init() {}

    /// Forgets everything.
    package func removeAll() {
        history = KnownHistory()
        (last, catchUp) = (nil, CatchUp())
        documents = [:]
    }

    /// Reads a device's log up to now. While that catches up, returns the last result.
    func read(_ device: Device) throws(PageError) -> Reading {
        try mapError(PageError.command) { () throws(CommandFailure) in
            try device.using { device throws(StoreError) in
                let now = try device.now()
                if let last, try catchUp.isUnderWay(on: device) {
                    return Reading(state: last.state, history: last.history, own: last.own, now: now)
                }
                // Only `self.history` may hold the former history, so that it is freed before the next one is
                // made.
                last = nil
                let (state, history) = try self.history.read(device.store, at: now)
                let reading = Reading(
                    state: state, history: history, own: try device.ownReplicasInGroup(), now: now)
                last = reading
                return reading
            }
        }
    }

    /// Returns the document that a request asks for.
    ///
    /// - Parameters:
    ///   - zone: The zone of its days. If it is nil, the document isn't kept, because the device's own zone may
    ///     change.
    ///   - make: Makes the document, a JSON object. Its first member is `now`, the instant of the reading.
    func document(
        _ request: PageRequest, on device: Device, in zone: Zone?,
        make: (Reading) throws(CommandFailure) -> [UInt8]
    ) throws(PageError) -> PageAnswer {
        let reading = try read(device)
        let inputs = zone.map { zone in
            Inputs(
                request: request, history: history.version, settings: reading.state.settings,
                devices: reading.state.devices, own: reading.own, today: zone.calendar.day(of: reading.now),
                zone: zone.name(at: reading.now))
        }
        let beginning = Array("{\"now\":\(JSON.instant(reading.now))".utf8)
        if let last = request.route.flatMap({ documents[$0] }), last.inputs == inputs {
            return PageAnswer(200, type: "application/json", beginning + last.rest)
        }
        let bytes = try mapError(PageError.command) { () throws(CommandFailure) in try make(reading) }
        if let inputs, let route = request.route, bytes.count <= DocumentCache.limit,
            bytes.starts(with: beginning)
        {
            documents[route] = Document(inputs: inputs, rest: Array(bytes.dropFirst(beginning.count)))
        }
        return PageAnswer(200, type: "application/json", bytes)
    }
}
