import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import Simulation
import TestSupport
import Testing

// The checks of a group after its programs ran at the same time.
extension BusyGroup {
    /// The time within which all must agree after the last press, in microseconds. It leaves room for retries
    /// after failed connections, and for waiting for busy programs.
    private static let agreeing: Int64 = 300_000_000
    /// The time within which an agent that is told to stop must end, in microseconds.
    private static let stopping: Int64 = 10_000_000

    static func lengths(_ store: DeviceStore) throws -> [ReplicaID: UInt64] {
        Dictionary(uniqueKeysWithValues: try store.replicas().filter { $0.seq > 0 }.map { ($0.id, $0.seq) })
    }

    /// Runs the added programs until everything is at rest, then stops the agent. If the agent was killed,
    /// also by a power loss, or never started, another agent is run and stopped.
    func run() throws {
        addWatch()
        laptop.run()
        if agent.program?.isKilled == true || agent.starts == 0 {
            try server.cutOff(identity.publicKey.hash(), false)
            server.addThreads()
            addAgent()
            addWatch()
            laptop.run()
        }
    }

    /// Adds a program that waits until everything is at rest, and then stops the agent.
    private func addWatch() {
        let interleaver = laptop.interleaver
        let programs = interleaver.programs.filter { $0.role != .service && !$0.isDone }
        interleaver.add(as: .remote) { [unowned self] in
            let loop = ProgramLoop(interleaver)
            let pressing = programs.filter { program in !agents.contains { $0 === program } }
            var device: Device?
            func isPressed() -> Bool {
                // The device can't be opened after a power loss, in which the agent is killed too.
                device = device ?? (try? laptop.open())
                try? device.map { try checkAcknowledged($0.store) }
                return pressing.allSatisfy { $0.isDone || $0.isKilled }
            }
            // Most events happen at the beginning, so this polls often at first.
            let hasEnded =
                loop.poll(every: 30_000, for: 3_000_000, until: isPressed)
                || loop.poll(every: 1_000_000, for: 3_600_000_000, until: isPressed)
            require(hasEnded, "somebody's commands came to no end")
            let hasCome = loop.poll(for: BusyGroup.agreeing) {
                device = device ?? (try? laptop.open())
                return device.flatMap { try? isCalm($0) } == true
                    || agents.allSatisfy { $0.isDone || $0.isKilled }
            }
            try require(
                hasCome,
                "all hadn't come to rest in time: \(try device.map(why) ?? "the log can't be opened")")
            require(!agent.hasEnded, "the agent ended by itself")
            agent.stop()
            require(loop.poll(for: BusyGroup.stopping) { !agent.isRunning }, "the agent didn't stop")
            agent.giveUp()
        }
    }

    /// Whether the laptop and the server have the same log, and the agent has reported it to its observer.
    private func isCalm(_ device: Device) throws -> Bool {
        guard agent.isRunning, let running = agent.agent else { return false }
        // No decision about a sleep may be left to make.
        guard try device.store.value(.sleep) == nil, try agent.told == BusyGroup.lengths(device.store) else {
            return false
        }
        guard let group = try device.store.group() else { return running.recorder.link.state == .offline }
        return try running.connection.isConnected && running.connection.reachedWelcome
            && device.store.pendingCount() == 0
            && device.store.versionVector() == server.vector(of: group)
    }

    /// Returns a description of the reason why the group isn't at rest.
    private func why(_ device: Device) throws -> String {
        let group = try device.store.group()
        let (own, its) = (try device.store.versionVector(), group.map(server.vector(of:)) ?? VersionVector())
        return """
            \(agent.agent?.recorder.link.state.rawValue ?? "no agent"), \(try device.store.pendingCount()) pending, \
            \(own == its ? "the same" : "parted"), told \(try agent.told == BusyGroup.lengths(device.store)); \
            it said \(agent.said.suffix(5))
            """
    }

    /// Checks that the server has everything that the laptop counts as acknowledged.
    func checkAcknowledged(_ store: DeviceStore) throws {
        // The laptop's rows are read first, because the server may store more meanwhile.
        guard let group = try store.group() else { return }
        let rows = try store.replicas()
        let vector = server.vector(of: group)
        // The writer may be in the middle of a batch.
        guard !vector.heads.isEmpty, try store.group() == group else { return }
        for row in rows where row.acknowledged > vector[row.id].seq {
            require(false, "\(row.acknowledged) of \(row.id) count as acknowledged, which the server lacks")
        }
    }

    func require(_ holds: Bool, _ breach: @autoclosure () throws -> String) rethrows {
        if !holds { breaches.append(try breach()) }
    }

    /// Checks the group after any interleaving: nothing is lost, every promise is kept, and all agree.
    func check(_ location: SourceLocation = #_sourceLocation) throws {
        let seed = laptop.seed
        defer { releaseReferences() }
        #expect(breaches == [], "seed \(seed)", sourceLocation: location)
        #expect(server.breaches == [], "seed \(seed)", sourceLocation: location)
        try laptop.check(location)
        let (device, other) = (try laptop.open(), try openOther())
        guard let group = try device.store.group() else { return }
        try checkAcknowledged(device.store)
        for _ in 0..<3 where try device.store.versionVector() != other.store.versionVector() {
            try syncQuietly(device, other)
        }
        #expect(breaches == [], "seed \(seed)", sourceLocation: location)
        let vector = server.vector(of: group)
        #expect(try device.store.versionVector() == vector, "seed \(seed)", sourceLocation: location)
        #expect(try other.store.versionVector() == vector, "seed \(seed)", sourceLocation: location)
        #expect(try device.store.pendingCount() == 0, "seed \(seed)", sourceLocation: location)
        let states = (try device.store.state(), try other.store.state())
        #expect(states.0 == states.1, "seed \(seed)", sourceLocation: location)
        #expect(
            repeatedUndos(try device.store.allStoredEvents()) == [], "seed \(seed)", sourceLocation: location)
    }

    /// Syncs both laptops once more, one after the other.
    func syncQuietly(_ device: Device, _ other: Device) throws {
        server.addThreads()
        laptop.interleaver.add { [unowned self] in
            let loop = ProgramLoop(laptop.interleaver)
            try run(.sync, on: device, loop)
            try run(.sync, on: other, loop, as: otherIdentity)
            try run(.sync, on: device, loop)
        }
        laptop.run()
        let failure = laptop.interleaver.programs.last?.failure
        require(failure == nil, "a quiet sync failed: \(failure.map { "\($0)" } ?? "")")
    }

    /// Returns the events that one replica took back twice. This is wrong, because a device checks that an
    /// event still counts before it undoes the event.
    private func repeatedUndos(_ stored: [StoredEvent]) -> [EventID] {
        var seen: [ReplicaID: Set<EventID>] = [:]
        return stored.compactMap(\.event).compactMap { event in
            guard case .undo(let target) = event.action else { return nil }
            return seen[event.id.replica, default: []].insert(target).inserted ? nil : target
        }
    }
}
