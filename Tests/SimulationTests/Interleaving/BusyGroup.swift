import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import Simulation
import TestSupport
import Testing

/// A laptop with an agent and commands that run at the same time, its server, and another laptop of its
/// group.
final class BusyGroup {
    let laptop: BusyLaptop
    let server: InterleavedServer
    let serverDisk = VirtualDisk(canLosePower: false)
    let otherDisk = VirtualDisk(canLosePower: false)
    private(set) lazy var agent = BusyAgent(self)
    /// The programs that ran the agent, in order.
    private(set) var agents: [InterleavedProgram] = []
    /// The laptop's key, which is replaced when the laptop leaves the group; and the other laptop's key.
    var identity: AgreementKey
    let otherIdentity: AgreementKey
    private var random: SeededGenerator
    private var secrets: UInt64
    /// The errors of commands that talked to the server.
    private(set) var failures: [GroupOperationError] = []
    /// Whether only the agent syncs. Then the log from which it decides on returning is known.
    var mustReturnByRules = false
    /// The rule violations found while programs ran.
    var breaches: [String] = []

    /// - Parameter start: The disks to start with, or nil for empty ones.
    init(seed: UInt64, _ start: GroupStart?) throws {
        laptop = BusyLaptop(
            seed: seed, start?.laptop ?? DiskImage(), besides: [serverDisk], at: start?.time ?? 0)
        serverDisk.replace(with: start?.server ?? DiskImage())
        otherDisk.replace(with: start?.other ?? DiskImage())
        random = SeededGenerator(seed: seed ^ 0x7E57)
        server = try InterleavedServer(
            laptop.interleaver, on: serverDisk, key: GroupStart.serverKey, seed: seed ^ 0x5E7)
        // No two invites on a server have the same secret.
        secrets = start == nil ? 100 : 200
        identity = try GroupStart.identity(1)
        otherIdentity = try GroupStart.identity(2)
        server.addThreads()
        laptop.interleaver.whenKilled = { [unowned self] in server.ended($0) }
        laptop.whenPressed = { [unowned self] in agent.poke() }
    }

    /// Creates a group that has just been joined by the other laptop.
    convenience init(seed: UInt64) throws { try self.init(seed: seed, GroupStart.made.get()) }

    /// Releases programs and connections, which hold references to each other.
    func releaseReferences() {
        agent.releaseReferences()
        server.releaseReferences()
    }

    // MARK: - Programs

    /// Returns the current program's route to the server, with a key that proves a device.
    func routes(on loop: ProgramLoop, as identity: AgreementKey? = nil) -> ServerRoutesProvider {
        { [unowned self] (_, _) throws(LocalFailure) in
            let secrets = try LocalFailure.wrapping {
                try DeviceSecrets(identity ?? self.identity) { [unowned self] (count) throws(SealError) in
                    SecretBytes(random.bytes(count))
                }
            }
            let program = identity == nil ? laptop.interleaver.current : nil
            return ServerRoutes(secrets, routes: [server.route(from: loop, of: program, as: secrets.hash)])
        }
    }

    /// Runs a command's group operation at the server.
    @discardableResult
    func run(
        _ operation: GroupOperation, on device: Device, _ loop: ProgramLoop, as identity: AgreementKey? = nil
    ) throws -> GroupOperationResult {
        var result: Result<GroupOperationResult, GroupOperationError>?
        let shot = OperationRunner(device, by: routes(on: loop, as: identity), time: loop) {
            result = $0
        }
        shot.run(operation, within: GroupOperation.patience)
        loop.run(for: 120_000_000) { result != nil }
        loop.clear()
        guard let result else { throw GroupOperationError(.timedOut) }
        return try result.get()
    }

    /// Opens the other laptop's log.
    func openOther() throws -> Device {
        let store = try DeviceStore(path: BusyLaptop.home.database, on: .virtual(otherDisk)) {
            [unowned self] in ReplicaID(rawValue: random.next())
        }
        return Device(
            BusyLaptop.home, store,
            .simulated(laptop.interleaver.otherClocks, name: "other", seed: ~laptop.seed))
    }

    /// Returns an invite to the group that the device is in.
    ///
    /// - Parameter identity: The device's key, if the device is the other laptop.
    func invite(by device: Device, _ loop: ProgramLoop, as identity: AgreementKey? = nil) throws -> Invite {
        secrets += 1
        let secret = try GroupStart.secret(secrets)
        try run(.invite(secret), on: device, loop, as: identity)
        return try #require(try Membership(device)).invite(secret)
    }

    /// Adds commands that go to the server, one after the other.
    func addOperations(_ operations: [GroupOperation], _ fault: InterleavedProgram.InjectedFault? = nil) {
        laptop.interleaver.add(fault) { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            for operation in operations {
                laptop.wait()
                guard !laptop.interleaver.isCurrentKilled else { return }
                do {
                    try run(operation, on: try laptop.open(), loop)
                } catch let error as GroupOperationError {
                    // A command reports this failure to its user.
                    failures.append(error)
                }
                if operation.changesLog { agent.poke() }
            }
        }
    }

    /// Cuts the network off for `time` microseconds.
    func cutOff(for time: Int64) {
        laptop.interleaver.add(as: .remote) { [unowned self] in
            let key = try identity.publicKey.hash()
            server.cutOff(key, true)
            ProgramLoop(laptop.interleaver).run(for: time)
            server.cutOff(key, false)
        }
    }

    /// Adds presses at the other laptop, which syncs after each of them.
    func presses(elsewhere count: Int, _ choose: @escaping (Int) -> Interaction) {
        laptop.interleaver.add(as: .remote) { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            let device = try openOther()
            for number in 0..<count {
                loop.run(for: .random(in: 0...max(1, laptop.leisure), using: &laptop.dice))
                _ = try? device.perform(choose(number), consent: .always)
                _ = try? run(.sync, on: device, loop, as: otherIdentity)
            }
        }
    }

    /// Adds the agent. If `fault` kills it, another run of the agent follows.
    func addAgent(_ fault: InterleavedProgram.InjectedFault? = nil) {
        agent.want()
        let first = laptop.interleaver.add(fault) { [unowned self] in try agent.run() }
        agents.append(first)
        guard case .killed = fault else { return }
        let second = laptop.interleaver.add { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            loop.poll(for: 3_600_000_000) { first.isKilled || first.isDone }
            if first.isKilled, !agent.isUnwanted { try agent.run() }
        }
        agents.append(second)
    }
}
