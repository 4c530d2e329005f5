import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusNet
import FocusStore
import Glibc
import Synchronization

/// Many laptops' agents on one event loop.
final class Fleet {
    let loop: EventLoop
    private let crew = Crew()

    /// Starts an agent for each of these home folders. The laptops must be in groups already.
    init(_ homes: [String]) throws {
        loop = try EventLoop()
        let loop = loop
        try onLoop { crew in
            for home in homes {
                let laptop = try FleetLaptop(home: home, on: loop)
                crew.laptops.append(laptop)
                try laptop.agent.start()
            }
        }
    }

    /// The laptops. They belong to the loop's thread.
    final class Crew: @unchecked Sendable {
        // Only `onLoop` uses it, on the loop's thread.
        var laptops: [FleetLaptop] = []
    }

    /// Runs `body` on the loop's thread, and returns its result.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Crew) throws -> Value) throws -> Value {
        let answer = Answer<Value>()
        loop.run { [crew] in
            let result = Result { try body(crew) }
            answer.result.withLock { $0 = result }
        }
        return try answer.value()
    }

    /// Presses on every second laptop, and notifies its agent.
    ///
    /// - Parameters:
    ///   - interaction: The press.
    ///   - isEven: Whether the laptops with even indices press, or the ones with odd indices.
    func press(_ interaction: Interaction, onEven isEven: Bool) {
        loop.run { [crew] in
            for (index, laptop) in crew.laptops.enumerated() where (index % 2 == 0) == isEven {
                laptop.press(interaction)
            }
        }
    }

    /// Returns the sum of a value over all laptops.
    func sum(_ value: @escaping @Sendable (FleetLaptop) throws -> Int) throws -> Int {
        try onLoop { crew in try crew.laptops.reduce(0) { try $0 + value($1) } }
    }

    /// Waits up to 2 minutes until a condition holds for all laptops.
    func wait(_ what: String, _ holds: @escaping @Sendable (FleetLaptop) throws -> Bool) throws {
        let began = ContinuousClock.now
        while try !onLoop({ crew in try crew.laptops.allSatisfy(holds) }) {
            guard ContinuousClock.now - began < .seconds(120) else {
                throw Programs.Failed(description: "this didn't happen within 2 minutes: \(what)")
            }
            poll(nil, 0, 20)
        }
    }

    /// The instant at which each laptop first connected after the last `forgetArrivals`.
    var arrivals: [ContinuousClock.Instant] {
        (try? onLoop { crew in crew.laptops.compactMap(\.arrived) }) ?? []
    }

    func forgetArrivals() { _ = try? onLoop { crew in crew.laptops.forEach { $0.arrived = nil } } }

    func end() {
        _ = try? onLoop { crew in
            for laptop in crew.laptops { laptop.agent.stop() }
            crew.laptops = []
        }
        loop.stop()
        loop.wait()
    }
}

/// A laptop with its agent.
final class FleetLaptop: AgentObserver {
    let agent: Agent
    private let device: Device
    /// The instant at which the laptop connected; nil if it hasn't since the last `forgetArrivals`.
    var arrived: ContinuousClock.Instant?
    /// A function that is called when the laptop's log has changed.
    var whenChanged: (() -> Void)?

    init(home: String, on loop: EventLoop) throws {
        device = try Device(Machine(home: home))
        agent = Agent(
            device, by: Credentials.routes(of: device, on: loop), time: LoopTime(loop),
            dice: SystemRandomNumberGenerator())
        agent.observer = self
    }

    var isConnected: Bool { agent.connection.isConnected }

    func press(_ interaction: Interaction) {
        perform(interaction)
        agent.poked()
    }

    /// Presses, without notifying the agent.
    func perform(_ interaction: Interaction) {
        do { _ = try device.perform(interaction) } catch { print("# a press failed: \(error)") }
    }

    /// Returns the replica that the laptop writes as. `own` numbers a device's replicas, and the greatest is
    /// the current one.
    func ownReplica() throws -> StoredReplica? { try device.store.replicas().max { $0.own < $1.own } }

    /// Returns the number of events that the laptop has of a replica.
    func count(of replica: ReplicaID) throws -> UInt64 {
        try device.store.replicas().first { $0.id == replica }?.seq ?? 0
    }

    /// Returns the number of the laptop's own events.
    func ownEvents() throws -> Int { try sum(\.seq) }

    /// Returns the number of the laptop's own events that the server has acknowledged.
    func acknowledgedOwnEvents() throws -> Int { try sum(\.acknowledged) }

    /// Whether the server has acknowledged every event on this laptop.
    func hasNothingPending() throws -> Bool {
        try device.store.replicas().allSatisfy { $0.acknowledged == $0.seq }
    }

    private func sum(_ seq: KeyPath<StoredReplica, UInt64>) throws -> Int {
        Int(try device.store.replicas().filter { $0.own > 0 }.reduce(0) { $0 + $1[keyPath: seq] })
    }

    func log(_ event: AgentEvent) {}
    func noticed(_ notice: SyncNotice) {}
    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
    func changed(_ what: AgentChange) {
        if agent.connection.isConnected, arrived == nil { arrived = .now }
        if what == .log { whenChanged?() }
    }
    func ended() {}
}
