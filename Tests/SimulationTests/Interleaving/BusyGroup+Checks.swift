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

// What has to hold of a group whose programs ran at once.
extension BusyGroup {
    /// How long it may take until all agree once nobody presses any more, in microseconds: a connection that failed is
    /// tried again after a while, and what is busy is waited for.
    private static let agreeing: Int64 = 300_000_000
    /// How long an agent that is told to stop may take.
    private static let stopping: Int64 = 10_000_000

    static func lengths(_ store: DeviceStore) throws -> [ReplicaID: UInt64] {
        Dictionary(uniqueKeysWithValues: try store.replicas().filter { $0.seq > 0 }.map { ($0.id, $0.seq) })
    }

    /// Runs all that was added, until all has come to rest; then the agent is stopped. Where it was killed, or the power
    /// went, it is started anew for that.
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

    /// Somebody who waits until all has come to rest, and then stops the agent.
    private func addWatch() {
        let interleaver = laptop.interleaver
        let programs = interleaver.programs.filter { $0.place != .service && !$0.isDone }
        interleaver.add(at: .elsewhere) { [unowned self] in
            let loop = ProgramLoop(interleaver)
            let pressing = programs.filter { program in !agents.contains { $0 === program } }
            var device: Device?
            func isPressed() -> Bool {
                // Where the power goes, the agent is killed.
                device = device ?? (try? laptop.open())
                try? device.map { try checkAcknowledged($0.store) }
                return pressing.allSatisfy { $0.isDone || $0.isKilled }
            }
            // Mostly all happens at the beginning.
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

    /// Whether the laptop and the server have the same, and whoever follows the agent was told of it.
    private func isCalm(_ device: Device) throws -> Bool {
        guard agent.isRunning, let running = agent.agent else { return false }
        // Nothing is left to be decided about time that was slept through.
        guard try device.store.value(.sleep) == nil, try agent.told == BusyGroup.lengths(device.store) else {
            return false
        }
        guard let group = try device.store.group() else { return running.link.state == .offline }
        return try running.isConnected && running.hasCaughtUp && device.store.pendingCount() == 0
            && device.store.versionVector() == server.vector(of: group)
    }

    /// What is in the way of it.
    private func why(_ device: Device) throws -> String {
        let group = try device.store.group()
        let (own, its) = (try device.store.versionVector(), group.map(server.vector(of:)) ?? VersionVector())
        return """
            \(agent.agent?.link.state.rawValue ?? "no agent"), \(try device.store.pendingCount()) pending, \
            \(own == its ? "the same" : "parted"), told \(try agent.told == BusyGroup.lengths(device.store)); \
            it said \(agent.said.suffix(5))
            """
    }

    /// What a laptop counts as acknowledged, the server has.
    func checkAcknowledged(_ store: DeviceStore) throws {
        // In this order: the server may take more meanwhile.
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

    /// Whatever came between what: nothing is lost, nothing is promised that isn't kept, and all agree.
    func check(_ location: SourceLocation = #_sourceLocation) throws {
        let seed = laptop.seed
        defer { cutLoose() }
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

    /// Both laptops sync once more, one after the other.
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

    /// What was taken back twice at the laptop: whoever decides to take something back looks first whether it counts.
    private func repeatedUndos(_ stored: [StoredEvent]) -> [EventID] {
        var seen: [ReplicaID: Set<EventID>] = [:]
        return stored.compactMap(\.event).compactMap { event in
            guard case .undo(let target) = event.action else { return nil }
            return seen[event.id.replica, default: []].insert(target).inserted ? nil : target
        }
    }
}
