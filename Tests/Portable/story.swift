import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import FocusText
import SQLiteKit

/// Three devices of a group press apart and sync through a server's sessions. One is revoked, so the group's
/// key changes. In the end the others have the same state.
enum GroupStory {
    /// The reason why the story doesn't end as it must; nil if it does.
    static func failure() -> String? {
        let time = StoryTime()
        do throws(LocalFailure) {
            let a = try StoryDevice("A", time)
            let b = try StoryDevice("B", time)
            let c = try StoryDevice("C", time)
            let server: RecordedServer
            do throws(RecordedFailure) { server = try RecordedServer() } catch { return "no server" }
            for device in [a, b, c] { server.admit(device.place, device.identity) }
            guard a.press(.start(label: "Write")), b.press(.start(label: "Read")) else { return "press" }
            time.advance(by: .seconds(60))
            guard c.press(.start(label: "Walk")) else { return "a press of C" }
            if let failure = try agreementFailure([a, b, c], server) { return failure }
            let first = try a.state()
            if let failure = a.run(.revoke([c.identity]), server) { return "A revokes C: \(failure)" }
            guard try a.epochCount() == 2 else { return "no new key" }
            time.advance(by: .seconds(60))
            guard a.press(.pause) else { return "a pause" }
            if let failure = try agreementFailure([b, a], server) { return failure }
            guard try b.epochCount() == 2 else { return "no new key at B" }
            guard try a.state() != first else { return "B lacks the pause" }
            guard c.run(.sync, server) != nil, try c.epochCount() == 1 else { return "C isn't revoked" }
            return nil
        } catch {
            return "a device fails"
        }
    }

    /// Syncs the devices in turn until they have the same state. This takes more than one round, because
    /// devices write by themselves when they return. Returns the reason for a failure.
    private static func agreementFailure(
        _ devices: [StoryDevice], _ server: RecordedServer
    ) throws(LocalFailure) -> String? {
        for _ in 0..<4 {
            for device in devices {
                if let failure = device.run(.sync, server) { return "\(device.place) syncs: \(failure)" }
            }
            var states: Set<[UInt8]> = []
            for device in devices { states.insert(try device.state()) }
            if states.count == 1 { return nil }
        }
        var counts = ""
        for device in devices { counts += " \(device.place) \(try device.eventCount())" }
        return "the devices don't agree; they have these numbers of events:\(counts)"
    }
}

/// A device of the story, with a log on the disk in memory.
private final class StoryDevice: SyncTransport {
    let place: String
    private let time: StoryTime
    private let device: Device
    private let secrets: DeviceSecrets
    private var driver: SyncDriver?
    private var isClosing = false
    private var sent: [UInt8] = []

    var unsentBytes: Int { 0 }
    var peerDescription: String { "the server" }
    var identity: Digest { secrets.hash }

    init(_ place: String, _ time: StoryTime) throws(LocalFailure) {
        self.place = place
        self.time = time
        let number = place.utf8.first ?? 0
        // There is only one thread.
        nonisolated(unsafe) let random = StoryRandom(UInt64(number))
        let home = Home(folder: "/device")
        nonisolated(unsafe) let clock = time
        let clocks = MachineClocks(
            wall: { SharedInstant(milliseconds: RecordedWorld.start / 1000) + clock.passed },
            sinceBoot: { .zero + clock.passed }, awake: { .zero + clock.passed }, boot: { nil })
        let zone = Zone(calendar: .fixed(), clocks: .utc) { _ in
            ZoneName(abbreviation: "UTC", offset: .zero)
        }
        let platform = Platform(
            clocks: clocks, hostName: { "browser" }, zone: { zone },
            random: { (count) throws(SealError) in random.bytes(count) },
            hasKey: { _ in false }, archiveKey: { (_, _) throws(DeviceFailure) in })
        let epoch: EpochKey
        do throws(SealError) {
            secrets = try DeviceSecrets(
                AgreementKey(number: SecretBytes([UInt8](repeating: number, count: AgreementKey.length)))
            ) { (count) throws(SealError) in random.bytes(count) }
            epoch = try EpochKey(RecordedWorld.bytes(0, 32))
        } catch { throw .seal(error) }
        let disk = Disk.virtual(VirtualDisk(canLosePower: false))
        do throws(StoreError) {
            let store = try DeviceStore(path: home.database, on: disk) { ReplicaID(rawValue: random.next()) }
            device = Device(home, store, platform)
            try device.record(secrets)
            try store.enter(
                RecordedWorld.group,
                StoredEpoch(id: epoch.epoch, key: epoch.secret.exposed(), predecessor: nil))
            try store.setText("server.example", for: .servers)
            try store.setServerPin(ServerPin(StoryDevice.server))
        } catch { throw .store(error) }
    }

    private static let server = Digest(InlineArray(repeating: 9))

    /// Presses, and returns whether that worked.
    func press(_ interaction: Interaction) -> Bool { (try? device.perform(interaction)) != nil }

    func state() throws(LocalFailure) -> [UInt8] {
        do throws(StoreError) { return try device.store.state().encoded() } catch { throw .store(error) }
    }

    func eventCount() throws(LocalFailure) -> UInt64 {
        do throws(StoreError) { return try device.store.state().eventCount } catch { throw .store(error) }
    }

    func epochCount() throws(LocalFailure) -> Int {
        do throws(StoreError) { return try device.store.epochs().count } catch { throw .store(error) }
    }

    /// Runs an operation on a connection of its own. Returns the reason for a failure; nil if it succeeds.
    func run(_ operation: GroupOperation, _ server: RecordedServer) -> String? {
        var result: Result<GroupOperationResult, GroupOperationError>?
        isClosing = false
        let routes: ServerRoutesProvider = { [self] (_, _) throws(LocalFailure) in
            ServerRoutes(
                secrets,
                routes: [
                    { driver in
                        self.driver = driver
                        return self
                    }
                ])
        }
        let runner = OperationRunner(device, by: routes, time: time) { result = $0 }
        runner.run(operation, within: GroupOperation.patience)
        server.opened(place, at: time.microseconds)
        driver?.opened(self, byServer: StoryDevice.server)
        for _ in 0..<2_000 {
            exchange(server)
            if isClosing {
                isClosing = false
                driver?.closed(self, .closed)
            }
            if let result {
                driver = nil
                switch result {
                case .success: return nil
                case .failure(let error):
                    if case .ended = error.cause { return "the connection ended" }
                    if case .timedOut = error.cause { return "timeout" }
                    return "another error"
                }
            }
            time.advance(by: .milliseconds(100))
        }
        return "it doesn't end"
    }

    /// Carries bytes back and forth until neither side sends any.
    private func exchange(_ server: RecordedServer) {
        while true {
            let bytes = sent
            sent = []
            if !bytes.isEmpty { server.received(bytes, from: place, at: time.microseconds) }
            let said = server.takeSaid().filter { $0.place == place }
            for said in said { driver?.received(said.frame, on: self) }
            if bytes.isEmpty && said.isEmpty { return }
        }
    }

    func send(_ bytes: [UInt8]) { sent += bytes }
    func close() { isClosing = true }
    func abort() { isClosing = true }
}

/// Random numbers that are the same each time.
private final class StoryRandom {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }

    func bytes(_ count: Int) -> SecretBytes {
        SecretBytes((0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) })
    }
}

/// The time of the story, which only `advance` moves.
private final class StoryTime: Scheduler {
    private final class Call: Alarm {
        let instant: SteadyInstant
        private(set) var body: (() -> Void)?

        init(_ instant: SteadyInstant, _ body: @escaping () -> Void) {
            self.instant = instant
            self.body = body
        }

        func cancel() { body = nil }
    }

    private(set) var passed = Duration.zero
    private var calls: [Call] = []

    var microseconds: Int64 { now().microseconds }

    func now() -> SteadyInstant { .zero + passed }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let call = Call(now() + delay, body)
        calls.append(call)
        return call
    }

    func advance(by time: Duration) {
        passed += time
        let due = calls.filter { $0.instant <= now() }
        calls.removeAll { $0.instant <= now() }
        for call in due { call.body?() }
    }
}
