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

/// A laptop whose agent and commands run at once, the server that they sync with, and another laptop of its group.
final class BusyGroup {
    let laptop: BusyLaptop
    let server: InterleavedServer
    let serverDisk = VirtualDisk(canLosePower: false)
    let otherDisk = VirtualDisk(canLosePower: false)
    private(set) lazy var agent = BusyAgent(self)
    /// The programs that it is, one after the other.
    private(set) var agents: [InterleavedProgram] = []
    /// The laptop's key, which it puts away as it leaves; and the other's.
    var identity: AgreementKey
    let otherIdentity: AgreementKey
    private var random: SeededGenerator
    private var secrets: UInt64
    /// What commands failed with that went to the server.
    private(set) var failures: [ErrandFailure] = []
    /// Whether nobody but the agent syncs, so that it is known what it decided about on returning.
    var mustReturnByRules = false
    /// What was found that may not be, while programs ran.
    var breaches: [String] = []

    /// - Parameter start: nil where nothing is there yet.
    init(seed: UInt64, _ start: GroupStart?) throws {
        laptop = BusyLaptop(
            seed: seed, start?.laptop ?? DiskImage(), besides: [serverDisk], at: start?.time ?? 0)
        serverDisk.replace(with: start?.server ?? DiskImage())
        otherDisk.replace(with: start?.other ?? DiskImage())
        random = SeededGenerator(seed: seed ^ 0x7E57)
        server = try InterleavedServer(
            laptop.interleaver, on: serverDisk, key: GroupStart.serverKey, seed: seed ^ 0x5E7)
        // No two invites of a server's have the same.
        secrets = start == nil ? 100 : 200
        identity = try GroupStart.identity(1)
        otherIdentity = try GroupStart.identity(2)
        server.addThreads()
        laptop.interleaver.whenKilled = { [unowned self] in server.ended($0) }
        laptop.whenPressed = { [unowned self] in agent.poke() }
    }

    /// A laptop of a group, where nothing has happened yet since the other one came in.
    convenience init(seed: UInt64) throws { try self.init(seed: seed, GroupStart.made.get()) }

    /// Lets go of programs and connections, which hold each other.
    func cutLoose() {
        agent.cutLoose()
        server.cutLoose()
    }

    // MARK: - Its programs

    /// How the program whose turn it is gets to the server.
    func approaching(on loop: ProgramLoop, as identity: AgreementKey? = nil) -> Approaching {
        { [unowned self] _, _ in
            let secrets = try DeviceSecrets(identity ?? self.identity) {
                [unowned self] (count) throws(SealError) in SecretBytes(random.bytes(count))
            }
            let program = identity == nil ? laptop.interleaver.current : nil
            return Approach(secrets, routes: [server.route(from: loop, of: program, as: secrets.hash)])
        }
    }

    /// Runs a command that goes to the server.
    @discardableResult
    func run(
        _ errand: Errand, on device: Device, _ loop: ProgramLoop, as identity: AgreementKey? = nil
    ) throws -> ErrandOutcome {
        var result: Result<ErrandOutcome, ErrandFailure>?
        let shot = OneShot(device, by: approaching(on: loop, as: identity), time: loop) { result = $0 }
        shot.run(errand, within: Errand.patience)
        loop.run(for: 120_000_000) { result != nil }
        loop.clear()
        guard let result else { throw ErrandFailure.timedOut }
        return try result.get()
    }

    /// The other laptop's log.
    func openOther() throws -> Device {
        let store = try DeviceStore(path: BusyLaptop.home.database, on: .virtual(otherDisk)) {
            [unowned self] in ReplicaID(rawValue: random.next())
        }
        return Device(
            BusyLaptop.home, store, clocks: laptop.interleaver.otherClocks, hostName: { "other" })
    }

    /// An invite to the group that a laptop is in.
    ///
    /// - Parameter identity: its key, where it is the other one.
    func invite(by device: Device, _ loop: ProgramLoop, as identity: AgreementKey? = nil) throws -> Invite {
        secrets += 1
        let secret = try GroupStart.secret(secrets)
        try run(.invite(secret), on: device, loop, as: identity)
        return try #require(try Membership(device)).invite(secret)
    }

    /// Commands that go to the server, one after the other.
    func addErrands(_ errands: [Errand], _ fate: InterleavedProgram.Fate? = nil) {
        laptop.interleaver.add(fate) { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            for errand in errands {
                laptop.wait()
                guard !laptop.interleaver.isOver else { return }
                do {
                    try run(errand, on: try laptop.open(), loop)
                } catch let error as ErrandFailure {
                    // Whoever asked for it is told.
                    failures.append(error)
                }
                if errand.changesLog { agent.poke() }
            }
        }
    }

    /// The network goes, and comes back once this is over, in microseconds.
    func cutOff(for time: Int64) {
        laptop.interleaver.add(at: .elsewhere) { [unowned self] in
            let key = try identity.publicKey.hash()
            server.cutOff(key, true)
            ProgramLoop(laptop.interleaver).run(for: time)
            server.cutOff(key, false)
        }
    }

    /// Somebody presses at the other laptop, which has the server told each time.
    func presses(elsewhere count: Int, _ choose: @escaping (Int) -> Interaction) {
        laptop.interleaver.add(at: .elsewhere) { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            let device = try openOther()
            for number in 0..<count {
                loop.run(for: .random(in: 0...max(1, laptop.leisure), using: &laptop.dice))
                _ = try? device.perform(choose(number), consent: .always)
                _ = try? run(.sync, on: device, loop, as: otherIdentity)
            }
        }
    }

    /// The agent runs, and is started anew where it is killed.
    func addAgent(_ fate: InterleavedProgram.Fate? = nil) {
        agent.want()
        let first = laptop.interleaver.add(fate) { [unowned self] in try agent.run() }
        agents.append(first)
        guard case .killed = fate else { return }
        let second = laptop.interleaver.add { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            loop.poll(for: 3_600_000_000) { first.isKilled || first.isDone }
            if first.isKilled, !agent.isUnwanted { try agent.run() }
        }
        agents.append(second)
    }
}
