import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import FocusText
import SQLiteKit
import TestSupport

// The laptop's programs: the agent, and commands that go to the server themselves.
extension Laptop {
    /// The laptop's identity and routes to a server.
    private var routesProvider: ServerRoutesProvider {
        { [unowned self] (server, _) throws(LocalFailure) in
            let secrets = try LocalFailure.wrapping {
                try self.ensureKey()
                return try DeviceSecrets(self.identity) { [unowned self] (count) throws(SealError) in
                    SecretBytes(random.bytes(count))
                }
            }
            return ServerRoutes(secrets, routes: routes(to: server))
        }
    }

    /// Returns a new agent, made as its process makes it.
    func makeAgent() throws -> Agent {
        let dice = SeededGenerator(seed: random.next())
        let agent = Agent(try openLog(), by: routesProvider, time: self, dice: dice)
        agent.observer = self
        return agent
    }

    /// Runs a command that goes to the server.
    ///
    /// - Parameter done: Called with the result, unless the laptop is stopped first, or is a browser.
    func run(
        _ operation: GroupOperation, within patience: Duration = GroupOperation.patience,
        done: @escaping (Result<GroupOperationResult, GroupOperationError>) -> Void = { _ in }
    ) {
        guard isAwake else { return }
        if let browser { return browser.run(operation) }
        do {
            let number = nextOperation()
            let device = try openLog()
            let shot = OperationRunner(device, by: routesProvider, time: self) { [unowned self] result in
                processNotices(of: operations.removeValue(forKey: number))
                updateMembership()
                switch result {
                case .success:
                    lastOperationEnd = nil
                    syncedAt = world.now
                    trace("operation done")
                    if operation.changesLog { _ = passOn(device) }
                case .failure(let failure):
                    if case .ended(let end) = failure.cause { lastOperationEnd = end }
                    trace("operation failed: \(failure)")
                }
                done(result)
            }
            operations[number] = shot
            shot.watcher = OperationObserver(self, shot)
            if case .join(_, _, let choice) = operation { joins[number] = choice }
            shot.run(operation, within: patience)
        } catch {
            trace("can't run an operation: \(error)")
        }
        world.restartIfStopped(self)
    }

    /// Revokes these keys. Checks that the laptop's own log has the revocation at once, even if the server
    /// doesn't get it.
    func revoke(_ keys: [Digest]) throws {
        let before = Set(operations.keys)
        run(.revoke(keys))
        // If the revocation couldn't be written, the group operation has already ended.
        guard operations.keys.contains(where: { !before.contains($0) }), let device else { return }
        let rulings = try device.store.state().rulings
        let left = keys.first { rulings[$0]?.isRevoked != true }
        world.require(left == nil, "who is shut out is so in the log of whoever did it") {
            "\(name) shut \(left.map { "\($0)" } ?? "") out"
        }
    }

    /// Processes the notices of the group operations under way.
    func processNotices() {
        for shot in operations.values { processNotices(of: shot) }
    }

    private func processNotices(of shot: OperationRunner?) {
        for notice in shot?.notices ?? [] { resetHistory(after: notice) }
    }

    /// Forgets what was known of the log, because the log has changed in another way than by growing.
    func forget() {
        historyCheck.forget()
        damage = DamageReportCheck()
    }

    private func resetHistory(after notice: SyncNotice) {
        switch notice {
        case .branchMoved, .putAside: forget()
        case .reauthored:
            forget()
            hasReauthored = true
        default: break
        }
    }
}

extension Laptop: AgentObserver {
    func log(_ event: AgentEvent) {
        trace("agent: \(event)")
        // The agent has compared its clocks, and stored the sleep that it found.
        if case .woke = event { lookForSleeps() }
    }

    func noticed(_ notice: SyncNotice) {
        trace("notice \(notice.sentence(by: .utc))")
        world.reach.count(.notice, caseOf: notice)
        switch notice {
        case .returned(let deeds): for deed in deeds { world.reach.count(.notice, caseOf: deed) }
        case .woke(let deed): world.reach.count(.notice, caseOf: deed)
        default: break
        }
        checkSaid(notice)
        if case .damaged(let authors) = notice, let store = device?.store {
            let again = try? damage.recordReport(authors, store)
            world.require(again == nil, "who has damaged events is spoken of once") {
                "\(name) speaks of \(again ?? "") again"
            }
        }
        resetHistory(after: notice)
        guard case .reauthored = notice else { return }
        reauthored += 1
        world.require(reauthored < 100, "a laptop doesn't write the same anew for ever") { name }
    }

    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        trace("wrote \(written.map { "\($0.id.seq) \($0.action)" }) \(occasion)")
        checkWritten(written, on: occasion, at: now)
    }

    func changed(_ what: AgentChange) {
        if agent?.connection.isConnected == true { sleeps.connectedAt = world.now }
        // Hooks and notifications depend on this call only (`AgentProcess`).
        if what == .log, world.plan.replayTime > 0, let lastSeqs { notifiedSeqs = lastSeqs }
    }

    /// The last seq of each replica in the log, or nil if it can't be read.
    private var lastSeqs: [ReplicaID: UInt64]? {
        (try? device?.store.replicas())
            .map { Dictionary(uniqueKeysWithValues: $0.filter { $0.seq > 0 }.map { ($0.id, $0.seq) }) }
    }

    /// Whether the agent has announced the log's last change to its followers. Checks that an announcement
    /// takes no longer than `longestNotifyDelay`, unless links are slow.
    func hasNotifiedAll() -> Bool {
        guard world.plan.replayTime > 0, !isAgentUnwanted, let lastSeqs, notifiedSeqs != lastSeqs else {
            return true
        }
        if unnotified?.lastSeqs != lastSeqs { unnotified = (world.now, lastSeqs) }
        let since = unnotified?.since ?? world.now
        world.require(
            world.plan.hasSlowLinks || world.now - since < Laptop.longestNotifyDelay,
            "what was merged is shown before long"
        ) { "\(name) has \(lastSeqs), and told of \(notifiedSeqs)" }
        return false
    }

    /// The longest delay of an announcement. After a slice of replay, an agent rests for ten times the
    /// slice's duration. It notices changes by itself within 5 seconds.
    private static let longestNotifyDelay: Int64 = .seconds(8)

    func ended() { agentEnded() }
}

extension Laptop: AgentContact {
    var isAgentUnwanted: Bool { world.plan.agentless.contains(index) }

    func poke() -> Bool {
        guard agent != nil else { return false }
        // One poke serves all presses until it arrives. One poke in twenty is lost, and the agent has to
        // notice the press by itself.
        guard !isPoked, Int.random(in: 0..<20, using: &random) > 0 else { return true }
        isPoked = true
        after(.random(in: 100...20_000, using: &random)) { [self] in
            isPoked = false
            agent?.poked()
        }
        return true
    }

    func startIfNone() {
        guard agent == nil, browser == nil, !isAgentUnwanted else { return }
        after(.random(in: 5_000...100_000, using: &random)) { [self] in startAgent() }
    }
}

// Programs of other versions.
extension World {
    /// Gives a laptop a program that names these versions of the protocol, for `duration` microseconds.
    func speak(_ index: Int, _ versions: [UInt16], for duration: Int64) {
        guard let laptop = laptop(index) else { return }
        laptop.speak(versions)
        reach.count(
            .version, versions.contains(1) ? "laptop with later protocol" : "laptop without the protocol")
        later(duration) { laptop.speak(nil) }
    }
}

extension Laptop {
    /// Replaces the laptop's program by one that names these versions of the protocol in its hellos, or by
    /// the present program if nil.
    func speak(_ versions: [UInt16]?) {
        guard self.versions != versions else { return }
        self.versions = versions
        guard isUp, disk.hasPower else { return }
        stop(losingPower: false)
        start()
    }

    /// Returns the bytes. If they begin with a hello, it gets the protocol versions of the laptop's program.
    func replacingVersions(in bytes: [UInt8]) -> [UInt8] {
        guard let versions else { return bytes }
        var decoder = FrameDecoder()
        decoder.append(bytes[...])
        guard let frame = try? decoder.next(), let message = try? Message(frame),
            case .hello(var hello) = message
        else { return bytes }
        let length = Message.hello(hello).encoded().count
        hello.versions = versions.map(ProtocolVersion.init(rawValue:))
        return Message.hello(hello).encoded() + bytes.dropFirst(length)
    }
}

// The machine's clocks and alarms, for a driver.
extension Laptop: Scheduler {
    /// Measures a plausible duration, because work takes no virtual time. It is 100 µs for each write to the
    /// disk, or a random time up to the plan's `replayTime` if that time is longer.
    func stopwatch() -> () -> Duration {
        let before = disk.changeCount
        return { [self] in
            let writing = Int64(disk.changeCount - before) * 100
            guard world.plan.replayTime > 0 else { return .microseconds(writing) }
            return .microseconds(max(writing, .random(in: 0...world.plan.replayTime, using: &random)))
        }
    }

    func now() -> SteadyInstant { clock.steady }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let alarm = SimulatedAlarm(body)
        let number = alarms.add(alarm)
        after(delay.inMicroseconds) { [self] in
            alarms.remove(number)
            alarm.ring()
        }
        return alarm
    }
}
