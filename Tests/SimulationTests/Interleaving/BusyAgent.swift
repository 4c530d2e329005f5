import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import Simulation
import TestSupport

/// The agent of a `BusyGroup`'s laptop, as its process runs it: one after the other where one is killed.
final class BusyAgent: AgentObserver {
    private unowned let group: BusyGroup
    private(set) var agent: Agent?
    /// The program that it is, or was last.
    private(set) var program: InterleavedProgram?
    private(set) var loop: ProgramLoop
    /// Whether it has done what it does last, after it was told to stop.
    private(set) var hasEnded = false
    /// What it said.
    private(set) var said: [AgentLogEvent] = []
    /// What its laptop's log had when whoever follows it was last told to look.
    private(set) var told: [ReplicaID: UInt64] = [:]
    /// What it wrote by itself each time it had caught up.
    private(set) var returns: [[Event]] = []
    /// Is called when it has come into touch with the server.
    var whenConnected: () -> Void = {}
    /// Whether it was told to stop, so that nobody starts it anew.
    private(set) var isUnwanted = false
    /// How often it was started.
    private(set) var starts: UInt64 = 0

    init(_ group: BusyGroup) {
        self.group = group
        loop = ProgramLoop(group.laptop.interleaver)
    }

    /// Whether it runs.
    var isRunning: Bool { agent != nil && program?.isKilled == false }

    /// Is the agent until it is told to stop. Where the log can't be opened since others are busy with it, it is started
    /// again, as the next command does.
    func run() throws {
        let interleaver = group.laptop.interleaver
        starts += 1
        program = interleaver.current
        hasEnded = false
        agent = nil
        loop = ProgramLoop(interleaver)
        defer { agent = nil }
        while !interleaver.isOver, agent == nil {
            do { try start() } catch let error as StoreError
                where error.code == .busy && group.laptop.mayBeBusy
            {
                agent = nil
                loop.run(for: 1_000_000)
            }
        }
        loop.run(for: .max / 4) { [unowned self] in hasEnded }
    }

    private func start() throws {
        let device = try group.laptop.open()
        let agent = Agent(
            device, by: group.approaching(on: loop), time: loop,
            dice: SeededGenerator(seed: group.laptop.seed &* 31 &+ starts))
        agent.observer = self
        self.agent = agent
        try agent.start()
    }

    /// A command tells it that the log has changed; now and then that doesn't get there.
    func poke() {
        guard isRunning, Int.random(in: 0..<8, using: &group.laptop.dice) > 0 else { return }
        loop.post(after: .random(in: 100...20_000, using: &group.laptop.dice)) { [weak agent] in
            agent?.poked()
        }
    }

    /// Tells it to stop.
    func stop() {
        isUnwanted = true
        loop.post { [weak agent] in agent?.stop() }
    }

    /// It is to be started.
    func want() { isUnwanted = false }

    /// Nobody waits for it any longer.
    func giveUp() { loop.post { [unowned self] in hasEnded = true } }

    /// Lets go of what is going to happen.
    func cutLoose() {
        loop.clear()
        agent = nil
    }

    // MARK: - What it tells

    /// How often something failed, or a connection ended as it should not.
    var troubles: Int {
        said.count { (event: AgentLogEvent) -> Bool in
            switch event {
            case .failed, .offline: true
            default: false
            }
        }
    }

    private var isHeard: Bool { program?.isKilled == false }

    func say(_ event: AgentLogEvent) {
        said.append(event)
        if case .connected = event { whenConnected() }
    }

    func noticed(_ notice: SyncNotice) {}

    func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {
        guard isHeard, occasion == .returning else { return }
        returns.append(written)
        if group.mustReturnByRules { try? checkReturn(written, at: now) }
    }

    /// It has written what the rules say of the log as it was then: what was pressed since comes after that. What it
    /// goes on with and keeps follows, about which more would have to be known.
    private func checkReturn(_ written: [Event], at now: SharedInstant) throws {
        guard let store = agent?.device.store, let first = written.first, let last = written.last else {
            return
        }
        let own = Set(try store.ownReplicas())
        let names = Set(written.map(\.id))
        func isBefore(_ event: Event) -> Bool {
            !names.contains(event.id)
                && !(event.id.replica == last.id.replica && event.id.seq > last.id.seq)
        }
        let log = try store.allStoredEvents().compactMap(\.event).filter(isBefore)
        let pending = Set(try store.pendingOwnEvents().filter(isBefore).map(\.id))
        guard
            let naive = NaiveReturning(
                log, pending: pending, own: own, writer: first.id.replica, shown: [], now: now,
                returnUndos: try store.returnUndos().subtracting(written.map(\.stamp)))
        else { return group.require(false, "a log is a log") }
        let actions = written.map(\.action).filter { if case .device = $0 { false } else { true } }
        group.require(
            actions.starts(with: naive.actions),
            "on returning it wrote \(actions), and the rules say \(naive.actions)")
    }

    func changed(_ what: AgentChange) {
        guard what == .log, isHeard, let agent, let lengths = try? BusyGroup.lengths(agent.device.store)
        else {
            return
        }
        told = lengths
    }

    func ended() { hasEnded = true }
}
