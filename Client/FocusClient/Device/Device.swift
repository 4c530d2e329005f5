package import CommandLineKit
package import FocusCore
package import FocusStore

/// This laptop: its log, its clocks, and who it is. The one way in for whoever presses or shows.
///
/// A value belongs to one thread at a time; several, in one process or many, may be open at once.
package final class Device {
    package let home: Home
    package let store: DeviceStore
    let clocks: MachineClocks
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
    package convenience init(_ context: CommandContext) throws(CommandFailure) {
        let home = try Home(context.environment)
        guard home.canBeFolder else { throw home.noFolder }
        do throws(SystemError) {
            try home.create()
        } catch {
            throw CommandFailure(error)
        }
        self.init(
            home, try Device.open(home, .writing, context), clocks: context.clocks, hostName: context.hostName
        )
    }

    /// Opens the device's log for reading; nil where it has none yet. Makes and changes nothing, unless an
    /// older version wrote the log.
    package static func reading(_ context: CommandContext) throws(CommandFailure) -> Device? {
        let home = try Home(context.environment)
        do throws(StoreError) {
            let store = try DeviceStore(
                path: home.database, access: .reading, makeReplica: context.makeReplica)
            return Device(home, store, clocks: context.clocks, hostName: context.hostName)
        } catch {
            switch error.code {
            case .missing: return nil
            case .older:
                let store = try open(home, .writing, context)
                return Device(home, store, clocks: context.clocks, hostName: context.hostName)
            default: throw home.canBeFolder ? CommandFailure(error, home.database) : home.noFolder
            }
        }
    }

    private static func open(
        _ home: Home, _ access: DeviceStore.Access, _ context: CommandContext
    ) throws(CommandFailure) -> DeviceStore {
        do throws(StoreError) {
            let store = try DeviceStore(
                path: home.database, access: access, makeReplica: context.makeReplica)
            if let note = store.upgradeNote { context.console.messages("\(note)\n") }
            return store
        } catch {
            throw CommandFailure(error, home.database)
        }
    }

    /// What the others call this device: as it was named, or else its host's name.
    package func name() throws(StoreError) -> String { try store.text(.deviceName) ?? hostName() }

    /// Shared time as the device knows it now.
    package func clock() throws(StoreError) -> SharedClock {
        SharedClock(try store.value(.clock).flatMap { try? ClockSample(encoded: $0) }, clocks)
    }

    /// The present instant in shared time, milliseconds since the Unix epoch.
    package func now() throws(StoreError) -> Int64 { try clock().now() }

    /// All replicas that this device is and was.
    package func ownReplicas() throws(StoreError) -> Set<ReplicaID> { Set(try store.ownReplicas()) }

    /// Runs `body` on this device, and says what goes wrong with its log as a command's failure.
    package func using<Result>(
        _ body: (Device) throws(StoreError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(StoreError) {
            return try body(self)
        } catch {
            throw CommandFailure(error, home.database)
        }
    }
}
