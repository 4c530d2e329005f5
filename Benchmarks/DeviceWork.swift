import FocusCore
import FocusSeal
import FocusStore
import SQLiteKit

/// A device's work on a long log that it receives, on one core. `DeviceBenchmark` measures it natively, and a
/// program of `Tests/Portable` in WebAssembly.
enum DeviceWork {
    /// An error of any part.
    enum Failure: Error {
        case seal(SealError)
        case merge(EventLog.Refusal)
        case store(StoreError)
        /// The parts have not replayed all events.
        case incomplete
    }

    /// The shortest time of a part.
    typealias Part = (name: String, seconds: Double)

    /// Measures each part three times.
    ///
    /// - Parameters:
    ///   - bytes: The log, in the format of `EventBytes`.
    ///   - seconds: Returns the time of a clock that never jumps.
    static func measure(_ bytes: [UInt8], seconds: () -> Double) throws(Failure) -> [Part] {
        // As a session sends them: one replica after the other.
        let events = Array(EventBytes(bytes)).sorted {
            ($0.id.replica.rawValue, $0.id.seq) < ($1.id.replica.rawValue, $1.id.seq)
        }
        let group = GroupID(high: 1, low: 2)
        let sealed: [SealedEvent]
        let sealer: Sealer
        do throws(SealError) {
            let key = try EpochKey(SecretBytes(Array(0..<32)))
            sealer = try Sealer(group: group, keys: [key])
            var made: [SealedEvent] = []
            for event in events { made.append(try sealer.seal(event, epoch: key.epoch)) }
            sealed = made
        } catch { throw .seal(error) }

        var fastest: [Part] = []
        for _ in 0..<3 {
            var measured: [Part] = []
            var began = seconds()
            /// Ends a part. The next one begins.
            func end(_ name: String) {
                let now = seconds()
                measured.append((name, now - began))
                began = seconds()
            }
            let opened: [StoredEvent]
            do throws(SealError) { opened = try open(sealed, sealer) } catch { throw .seal(error) }
            end("opening")
            let log: EventLog
            do throws(EventLog.Refusal) { log = try EventLog(events) } catch { throw .merge(error) }
            end("merge")
            let (state, _) = log.replayed()
            end("replay")
            let stored: ReplayState?
            do throws(StoreError) {
                let disk = Disk.virtual(VirtualDisk(canLosePower: false))
                let store = try DeviceStore(path: "/focus.db", on: disk) { ReplicaID(rawValue: 7) }
                began = seconds()
                _ = try store.merge(opened, acknowledged: true, replaying: false)
                end("inserting")
                stored = try store.merge([], acknowledged: true).state
                end("replay from the store")
            } catch { throw .store(error) }
            guard state.eventCount == events.count, stored == state else { throw .incomplete }
            fastest =
                fastest.isEmpty
                ? measured : zip(fastest, measured).map { $0.seconds < $1.seconds ? $0 : $1 }
        }
        return fastest
    }

    /// Opens the events and hashes their chains.
    private static func open(_ sealed: [SealedEvent], _ sealer: Sealer) throws(SealError) -> [StoredEvent] {
        var hasher = try ChainHasher(group: sealer.group)
        var opened: [StoredEvent] = []
        var chain = Chain.empty
        for event in sealed {
            if event.id.seq == 1 { chain = .empty }
            chain = try hasher.chain(after: chain, event)
            opened.append(
                StoredEvent(
                    id: event.id, stamp: event.stamp, epoch: event.epoch, chain: chain,
                    body: .plain(try sealer.plaintext(of: event))))
        }
        return opened
    }
}
