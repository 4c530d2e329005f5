import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusText
import SQLiteKit

/// A device with a log on the disk in memory, and its link to a server.
enum DeviceInMemory {
    private static let start = SharedInstant(milliseconds: 1_763_661_600_000)

    /// Starts the timer, and pauses it in another process 90 seconds later. Returns the clock that a third one
    /// shows after replaying the whole log; nil if anything fails.
    static func clock() -> String? {
        let disk = Disk.virtual(VirtualDisk(canLosePower: false))
        let pressed = start + .seconds(90)
        guard let first = try? device(disk, at: start), (try? first.perform(.start(label: "Write"))) != nil,
            let second = try? device(disk, at: pressed), (try? second.perform(.pause)) != nil,
            let third = try? device(disk, at: pressed + .seconds(60)), (try? third.store.dropCaches()) != nil,
            let status = try? DeviceStatus(third)
        else { return nil }
        return status.presentation.clock
    }

    /// Whether a group operation greets the server, and fails when the server closes the connection.
    static func greetsServer() -> Bool {
        let server = SilentServer()
        var result: Result<GroupOperationResult, GroupOperationError>?
        guard let device = try? device(Disk.virtual(VirtualDisk(canLosePower: false)), at: start),
            (try? enterGroup(device)) != nil, (try? device.perform(.start(label: nil))) != nil
        else { return false }
        let routes: ServerRoutesProvider = { (_, _) throws(LocalFailure) in
            ServerRoutes(try secrets(), routes: [{ server.connected(to: $0) }])
        }
        let runner = OperationRunner(device, by: routes, time: StillTime()) { result = $0 }
        runner.run(.sync, within: GroupOperation.patience)
        server.open()
        guard result == nil, !server.received.isEmpty else { return false }
        server.hangUp()
        guard case .failure(let error)? = result else { return false }
        return error == GroupOperationError(.ended(.broken(.closedByServer)))
    }

    static func device(_ disk: Disk, at now: SharedInstant = start) throws(StoreError) -> Device {
        let home = Home(folder: "/device")
        let store = try DeviceStore(path: home.database, on: disk) { ReplicaID(rawValue: 7) }
        let clocks = MachineClocks(wall: { now }, sinceBoot: { .zero }, awake: { .zero }, boot: { nil })
        let platform = Platform(
            clocks: clocks, hostName: { "browser" }, zone: { .utc }, random: DeviceInMemory.random,
            hasKey: { _ in false }, archiveKey: { (_, _) throws(DeviceFailure) in })
        return Device(home, store, platform)
    }

    private static func enterGroup(_ device: Device) throws(LocalFailure) {
        let key: EpochKey
        do throws(SealError) { key = try EpochKey(random(EpochKey.length)) } catch { throw .seal(error) }
        try LocalFailure.converting { () throws(StoreError) in
            try device.store.enter(
                GroupID(high: 1, low: 2),
                StoredEpoch(id: key.epoch, key: key.secret.exposed(), predecessor: nil))
            try device.store.setText("server.example", for: .servers)
            try device.store.setServerPin(ServerPin(SilentServer.key))
        }
    }

    private static func secrets() throws(LocalFailure) -> DeviceSecrets {
        do throws(SealError) {
            return try DeviceSecrets(AgreementKey(number: random(AgreementKey.length)), random: random)
        } catch {
            throw .seal(error)
        }
    }

    /// Returns bytes that are always the same.
    private static func random(_ count: Int) throws(SealError) -> SecretBytes {
        SecretBytes([UInt8](repeating: 1, count: count))
    }
}

/// A server that says nothing.
private final class SilentServer: SyncTransport {
    static let key = Digest(InlineArray(repeating: 9))
    private var driver: SyncDriver?
    private(set) var received: [UInt8] = []

    var unsentBytes: Int { 0 }
    var peerDescription: String { "server.example:7853" }

    func connected(to driver: SyncDriver) -> any SyncTransport {
        self.driver = driver
        return self
    }

    func open() { driver?.opened(self, byServer: SilentServer.key) }
    func hangUp() { driver?.closed(self, .closed) }
    func send(_ bytes: [UInt8]) { received += bytes }
    func close() {}
    func abort() {}
}

/// Time that stands still.
final class StillTime: Scheduler {
    private final class Never: Alarm { func cancel() {} }

    func now() -> SteadyInstant { .zero }
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm { Never() }
}
