package import FocusCore
package import FocusSeal
import FocusStore
package import SystemKit

/// The machine and the environment that a command or an agent runs in. A test replaces them.
package struct Machine: Sendable {
    /// The environment variables: they name the log's folder and the person's choices.
    package let environment: Environment
    /// The platform of this machine's devices.
    package let platform: Platform
    /// Returns a random replica.
    package let makeReplica: @Sendable () -> ReplicaID

    /// A machine of these parts.
    ///
    /// - Parameter makeReplica: Returns a random replica.
    package init(
        environment: Environment, platform: Platform, makeReplica: @escaping @Sendable () -> ReplicaID
    ) {
        self.environment = environment
        self.platform = platform
        self.makeReplica = makeReplica
    }

    /// The machine that this process runs on.
    package static let process = Machine(
        environment: .process, platform: .process,
        makeReplica: { ReplicaID(rawValue: .random(in: .min ... .max)) })
}

// The log on the machine's disk.
extension Device {
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
            let device = Device(home, store, machine.platform)
            guard try store.haveCountedEventsChanged(at: device.now()) else { return device }
            // If the log can't be written, the stored set of events that count is used.
            guard let writing = try? Device(writing: home, machine) else { return device }
            writing.updateCounted()
            return writing
        } catch {
            switch error.code {
            case .missing: return nil
            case .older: return try Device(writing: home, machine)
            default: throw home.canHaveDataFolder ? .store(error, path: home.database) : .noFolder(home.data)
            }
        }
    }

    private convenience init(writing home: Home, _ machine: Machine) throws(DeviceFailure) {
        do throws(StoreError) {
            let store = try DeviceStore(
                path: home.database, access: .writing, makeReplica: machine.makeReplica)
            self.init(home, store, machine.platform)
        } catch {
            throw .store(error, path: home.database)
        }
    }
}

extension Device {
    /// Returns the key in the identity file, or nil if there is none and the laptop may make one.
    ///
    /// - Throws: `DeviceFailure.key` if the file doesn't hold the key by which the group knows the laptop.
    ///   `SealError` if the file can't be used, or `StoreError`.
    package func identity() throws -> DeviceIdentity? {
        let identity = try IdentityFile(path: home.identity).load()
        guard try store.group() != nil, let known = try store.deviceKey() else { return identity }
        guard let identity else { throw DeviceFailure.key(.gone, path: home.identity) }
        guard identity.keyHash == known else {
            throw DeviceFailure.key(.another, path: home.identity)
        }
        return identity
    }
}
