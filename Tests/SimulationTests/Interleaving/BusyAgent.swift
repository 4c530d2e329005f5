import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import Simulation
import TestSupport

/// The agent of a `BusyGroup`'s laptop, run like a process. If it is killed, another one can be started.
final class BusyAgent: AgentObserver {
    private unowned let group: BusyGroup
    private(set) var agent: Agent?
    /// The program that runs the agent, or ran it last.
    private(set) var program: InterleavedProgram?
    private(set) var loop: ProgramLoop
    /// Whether the agent has ended after it was told to stop.
    private(set) var hasEnded = false
    /// The agent's events for the log that it reported.
    private(set) var said: [AgentEvent] = []
    /// The log's lengths when the agent last reported a change of the log.
    private(set) var told: [ReplicaID: UInt64] = [:]
    /// The events that the agent wrote by itself, for each of its returns.
    private(set) var returns: [[Event]] = []
    /// Is called when the agent has connected to the server.
    var whenConnected: () -> Void = {}
    /// Whether the agent was told to stop. Then nobody starts it again.
    private(set) var isUnwanted = false
    /// The number of times the agent was started.
    private(set) var starts: UInt64 = 0

    init(_ group: BusyGroup) {
        self.group = group
        loop = ProgramLoop(group.laptop.interleaver)
    }

    /// Whether the agent runs.
    var isRunning: Bool { agent != nil && program?.isKilled == false }

    /// Runs the agent until it is told to stop. If the log can't be opened because other programs are busy
    /// with it, the agent is started again after a second.
    func run() throws {
        let interleaver = group.laptop.interleaver
        starts += 1
        program = interleaver.current
        hasEnded = false
        agent = nil
        loop = ProgramLoop(interleaver)
        defer { agent = nil }
        while !interleaver.isCurrentKilled, agent == nil {
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
            device, by: group.routes(on: loop), time: loop,
            dice: SeededGenerator(seed: group.laptop.seed &* 31 &+ starts))
        agent.observer = self
        self.agent = agent
        try agent.start()
    }

    /// Pokes the agent, as a command does after it changed the log. One poke in eight, on average, is lost.
    func poke() {
        guard isRunning, Int.random(in: 0..<8, using: &group.laptop.dice) > 0 else { return }
        loop.post(after: .random(in: 100...20_000, using: &group.laptop.dice)) { [weak agent] in
            agent?.poked()
        }
    }

    /// Tells the agent to stop.
    func stop() {
        isUnwanted = true
        loop.post { [weak agent] in agent?.stop() }
    }

    /// Allows the agent to be started.
    func want() { isUnwanted = false }

    /// Ends `run` even if the agent hasn't ended.
    func giveUp() { loop.post { [unowned self] in hasEnded = true } }

    /// Drops everything that is scheduled.
    func releaseReferences() {
        loop.clear()
        agent = nil
    }

    // MARK: - Observation

    /// The number of failures, and of connections that ended unexpectedly.
    var troubles: Int {
        said.count { (event: AgentEvent) -> Bool in
            switch event {
            case .failed, .offline: true
            default: false
            }
        }
    }

    private var isHeard: Bool { program?.isKilled == false }

    func log(_ event: AgentEvent) {
        said.append(event)
        if case .connected = event { whenConnected() }
    }

    func noticed(_ notice: SyncNotice) {}

    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        guard isHeard, occasion == .returning else { return }
        returns.append(written)
        if group.mustReturnByRules { try? checkReturn(written, at: now) }
    }

    /// Checks that the agent wrote what the rules say for the log at that time. Presses made since don't
    /// count. Only the start of `written` is compared: the rest, the resumed session and the kept work,
    /// depends on more than the log.
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
        else { return group.require(false, "a laptop's events form a log") }
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
