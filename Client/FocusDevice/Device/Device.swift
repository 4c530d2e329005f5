package import FocusCore
package import FocusStore
package import SystemKit

/// This laptop: its log, its clocks and its identity. All front ends read and press through it.
///
/// An instance belongs to one thread at a time. Several may be open at once, in one process or many.
package final class Device {
    /// The paths of the log and the device's other files.
    package let home: Home
    /// The log, and the data stored beside it.
    package let store: DeviceStore
    /// The machine's clocks. For the time that all laptops share, see `now`.
    package let clocks: MachineClocks
    private let hostName: @Sendable () -> String

    /// A device with a log that is already open.
    ///
    /// - Parameters:
    ///   - home: The paths of the device's files.
    ///   - hostName: Returns the machine's host name.
    package init(
        _ home: Home, _ store: DeviceStore, clocks: MachineClocks,
        hostName: @escaping @Sendable () -> String
    ) {
        self.home = home
        self.store = store
        self.clocks = clocks
        self.hostName = hostName
    }

    /// Opens the device's log for writing. If there is none, creates the file and its folder, for this user
    /// only.
    package convenience init(_ machine: Machine) throws(DeviceFailure) {
        let home = try Home(machine.environment)
        try home.create()
        try self.init(writing: home, machine)
    }

    /// Opens the device's log for reading, or returns nil if there is none yet. Writes only if an older
    /// version wrote the log, or if the stored set of events that count is out of date.
    package static func openForReading(_ machine: Machine) throws(DeviceFailure) -> Device? {
        let home = try Home(machine.environment)
        do throws(StoreError) {
            let store = try DeviceStore(
                path: home.database, access: .reading, makeReplica: machine.makeReplica)
            let device = Device(home, store, clocks: machine.clocks, hostName: machine.hostName)
            guard try store.haveCountedEventsChanged(at: device.now()) else { return device }
            // If the log can't be written, the stored set of events that count is used.
            guard let writing = try? Device(writing: home, machine) else { return device }
            writing.updateCounted()
            return writing
        } catch {
            switch error.code {
            case .missing: return nil
            case .older: return try Device(writing: home, machine)
            default: throw home.canHaveDataFolder ? .store(error, path: home.database) : home.noFolderError
            }
        }
    }

    private convenience init(writing home: Home, _ machine: Machine) throws(DeviceFailure) {
        do throws(StoreError) {
            let store = try DeviceStore(
                path: home.database, access: .writing, makeReplica: machine.makeReplica)
            self.init(home, store, clocks: machine.clocks, hostName: machine.hostName)
        } catch {
            throw .store(error, path: home.database)
        }
    }

    /// Returns the name of this device for the others: the one given to it, or else the host name.
    package func name() throws(StoreError) -> String { try store.text(.deviceName) ?? hostName() }

    /// Returns shared time as the device knows it now.
    package func clock() throws(StoreError) -> SharedClock {
        SharedClock(try store.value(.clock).flatMap { try? ClockSample(encoded: $0) }, clocks)
    }

    /// Returns the present instant in shared time.
    package func now() throws(StoreError) -> SharedInstant { try clock().now() }

    /// Updates the stored set of events that count at the present instant (docs/timer-rules.md §1). If it can't
    /// be written, the former set stays in force.
    package func updateCounted() {
        guard let now = try? now() else { return }
        _ = try? store.updateCounted(at: now)
    }

    /// Returns all replicas that this device writes or wrote under.
    package func ownReplicas() throws(StoreError) -> Set<ReplicaID> { Set(try store.ownReplicas()) }

    /// Runs `body` on this device. Rethrows an error of the store as a `DeviceFailure` with the log's path.
    package func attempt<Result>(
        _ body: (Device) throws(StoreError) -> Result
    ) throws(DeviceFailure) -> Result {
        do throws(StoreError) {
            return try body(self)
        } catch {
            throw .store(error, path: home.database)
        }
    }
}

/// The parts of the machine that a device depends on. A test replaces them.
package struct Machine: Sendable {
    /// The environment variables: they name the log's folder and the person's choices.
    package let environment: Environment
    /// The machine's clocks.
    package let clocks: MachineClocks
    /// Returns the machine's host name.
    package let hostName: @Sendable () -> String
    /// Returns a random replica.
    package let makeReplica: @Sendable () -> ReplicaID

    /// A machine of these parts.
    ///
    /// - Parameters:
    ///   - hostName: Returns the machine's host name.
    ///   - makeReplica: Returns a random replica.
    package init(
        environment: Environment, clocks: MachineClocks, hostName: @escaping @Sendable () -> String,
        makeReplica: @escaping @Sendable () -> ReplicaID
    ) {
        self.environment = environment
        self.clocks = clocks
        self.hostName = hostName
        self.makeReplica = makeReplica
    }

    /// The machine that this process runs on.
    package static let process = Machine(
        environment: .process, clocks: .process, hostName: systemHostName,
        makeReplica: { ReplicaID(rawValue: .random(in: .min ... .max)) })

    /// Returns the machine's name without its domain.
    private static func systemHostName() -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, gethostname(start, buffer.count - 1) == 0 else { return "" }
            return String(cString: start)
        }
        return name.split(separator: ".").first.map(String.init) ?? "laptop"
    }
}
