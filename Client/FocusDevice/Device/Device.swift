package import FocusCore
package import FocusStore
package import SystemKit

/// This laptop: its log, its clocks, and who it is. The one way in for whoever presses or shows.
///
/// A value belongs to one thread at a time; several, in one process or many, may be open at once.
package final class Device {
    /// Where the log lies, and the rest of what the device keeps.
    package let home: Home
    /// The log, and what is kept beside it.
    package let store: DeviceStore
    /// The machine's clocks. What time it is among all laptops, `now` says.
    package let clocks: MachineClocks
    private let hostName: @Sendable () -> String

    /// A device whose log is open already.
    ///
    /// - Parameters:
    ///   - home: where the rest of what it keeps belongs.
    ///   - hostName: what the machine is called.
    package init(
        _ home: Home, _ store: DeviceStore, clocks: MachineClocks,
        hostName: @escaping @Sendable () -> String
    ) {
        self.home = home
        self.store = store
        self.clocks = clocks
        self.hostName = hostName
    }

    /// Opens the device's log for writing, and makes it where there is none: the file for this user alone, in
    /// a folder for this user alone.
    package convenience init(_ machine: Machine) throws(DeviceFailure) {
        let home = try Home(machine.environment)
        try home.create()
        try self.init(writing: home, machine)
    }

    /// Opens the device's log for reading; nil where it has none yet. Makes and changes nothing, unless an
    /// older version wrote the log, or other events count by now than when somebody last looked.
    package static func reading(_ machine: Machine) throws(DeviceFailure) -> Device? {
        let home = try Home(machine.environment)
        do throws(StoreError) {
            let store = try DeviceStore(
                path: home.database, access: .reading, makeReplica: machine.makeReplica)
            let device = Device(home, store, clocks: machine.clocks, hostName: machine.hostName)
            guard try store.countsOtherwise(at: device.now()) else { return device }
            // If it can't be written, what the log said last is shown.
            guard let writing = try? Device(writing: home, machine) else { return device }
            writing.updateCounted()
            return writing
        } catch {
            switch error.code {
            case .missing: return nil
            case .older: return try Device(writing: home, machine)
            default: throw home.canBeFolder ? .store(error, path: home.database) : home.noFolder
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

    /// What the others call this device: as it was named, or else its host's name.
    package func name() throws(StoreError) -> String { try store.text(.deviceName) ?? hostName() }

    /// Shared time as the device knows it now.
    package func clock() throws(StoreError) -> SharedClock {
        SharedClock(try store.value(.clock).flatMap { try? ClockSample(encoded: $0) }, clocks)
    }

    /// The present instant in shared time.
    package func now() throws(StoreError) -> SharedInstant { try clock().now() }

    /// Brings up to date which events count by now (docs/timer-rules.md §1). If that can't be written, what counted before
    /// does until it can.
    package func updateCounted() {
        guard let now = try? now() else { return }
        _ = try? store.updateCounted(at: now)
    }

    /// All replicas that this device is and was.
    package func ownReplicas() throws(StoreError) -> Set<ReplicaID> { Set(try store.ownReplicas()) }

    /// Runs `body` on this device, and names its log where that fails.
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

/// What a device has of the machine that it is on, so that it can be opened in a test.
package struct Machine: Sendable {
    /// Where the log lies, and what the person wants, as variables say it.
    package let environment: Environment
    /// The machine's own; a test sets others.
    package let clocks: MachineClocks
    /// What the machine is called.
    package let hostName: @Sendable () -> String
    /// Gives a random replica.
    package let makeReplica: @Sendable () -> ReplicaID

    /// - Parameters:
    ///   - hostName: what the machine is called.
    ///   - makeReplica: gives a random replica.
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

    /// The machine's name without its domain.
    private static func systemHostName() -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, gethostname(start, buffer.count - 1) == 0 else { return "" }
            return String(cString: start)
        }
        return name.split(separator: ".").first.map(String.init) ?? "laptop"
    }
}
