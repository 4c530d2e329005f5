import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import FocusText
import FocusWeb
import SQLiteKit

/// A device that is told what to do by lines of text. Its log is on the disk in memory, and its time and
/// randomness are set. So it gives the same answers in WebAssembly and natively.
final class StoryDevice {
    private let clocks = BrowserClocks(BrowserTime(wall: StoryDevice.start, steady: .zero)) { "boot" }
    private let time: DeadlineScheduler
    private let device: Device
    private let secrets: DeviceSecrets
    private let connection = StoryConnection()
    private var runner: OperationRunner?
    /// The end of the operation: `done`, or the reason for its failure; nil while it runs.
    private var end: String?

    /// The time at which all devices and the server begin: 2025-11-20T18:00:00Z.
    static let start = SharedInstant(milliseconds: 1_763_661_600_000)
    /// The hash of the server's key.
    static let server = Digest(InlineArray(repeating: 0xEE))

    /// Creates a device in no group. Names of one ASCII letter give different devices.
    init(_ name: String) throws(LocalFailure) {
        let number = name.utf8.first ?? 0
        // There is only one thread.
        nonisolated(unsafe) let random = StoryRandom(UInt64(number))
        time = DeadlineScheduler(clocks)
        let platform = Platform(
            clocks: clocks.machine, hostName: { name }, zone: { .utc },
            random: { (count) throws(SealError) in random.bytes(count) },
            hasKey: { _ in false }, archiveKey: { (_, _) throws(DeviceFailure) in })
        do throws(SealError) {
            secrets = try DeviceSecrets(
                AgreementKey(number: SecretBytes([UInt8](repeating: number, count: AgreementKey.length)))
            ) { (count) throws(SealError) in random.bytes(count) }
        } catch { throw .seal(error) }
        let home = Home(folder: "/device")
        do throws(StoreError) {
            let disk = Disk.virtual(VirtualDisk(canLosePower: false))
            let store = try DeviceStore(path: home.database, on: disk) { ReplicaID(rawValue: random.next()) }
            device = Device(home, store, platform)
        } catch { throw .store(error) }
    }

    /// Carries out a command, and answers with three words: the command's or operation's result (`-` while an
    /// operation runs), `open` or `closed` for the connection, and the bytes that the device has sent since
    /// the last answer (`-` if none).
    func answer(_ command: String) -> String {
        let words = command.split(separator: " ").map { String($0) }
        let result = result(words.first ?? "", words.count > 1 ? words[1] : "") ?? "-"
        let sent = connection.takeSent()
        return result + (connection.isOpen ? " open " : " closed ")
            + (sent.isEmpty ? "-" : hexadecimal(sent))
    }

    private func result(_ verb: String, _ argument: String) -> String? {
        switch verb {
        case "key": return secrets.hash.hexadecimal
        case "state": return state
        case "epochs": return (try? device.store.epochs().count).map { "\($0)" } ?? "unreadable"
        case "start": return press(.start(label: argument))
        case "stop": return press(.stop)
        case "toggle": return press(.toggle)
        case "sync": begin(.sync)
        case "join":
            guard let invite = try? Invite(argument) else { return "no-invite" }
            begin(.join(invite, name: nil, .leaveBehind))
        case "invite":
            guard let bytes = bytes(hexadecimal: argument), let secret = InviteSecret(SecretBytes(bytes))
            else { return "no-secret" }
            begin(.invite(secret))
        case "revoke":
            guard let key = Digest(hexadecimal: argument) else { return "no-key" }
            begin(.revoke([key]))
        case "receive": connection.receive(bytes(hexadecimal: argument) ?? [])
        case "hangup": connection.hangUp()
        case "advance":
            let passed = Duration.milliseconds(Int64(argument) ?? 0)
            _ = clocks.advance(
                to: BrowserTime(wall: clocks.machine.wall() + passed, steady: clocks.steady + passed))
            time.runDue()
        default: return "unknown-command"
        }
        return end
    }

    /// The encoded state, in hexadecimal digits.
    private var state: String {
        (try? device.store.state()).map { hexadecimal($0.encoded()) } ?? "unreadable"
    }

    private func press(_ interaction: Interaction) -> String {
        do throws(PerformFailure) {
            _ = try device.perform(interaction)
            return "done"
        } catch { return "refused" }
    }

    /// Begins an operation on a new connection.
    private func begin(_ operation: GroupOperation) {
        end = nil
        let routes: ServerRoutesProvider = { [self] (_, _) throws(LocalFailure) in
            ServerRoutes(secrets, routes: [{ self.connection.connected(to: $0) }])
        }
        let runner = OperationRunner(device, by: routes, time: time) { [self] in end = Self.word($0) }
        self.runner = runner
        runner.run(operation, within: GroupOperation.patience)
        connection.open()
    }

    private static func word(_ result: Result<GroupOperationResult, GroupOperationError>) -> String {
        switch result {
        case .success: "done"
        case .failure(let error):
            switch error.cause {
            case .ended: "ended"
            case .refused: "refused"
            case .timedOut: "timed-out"
            default: "failed"
            }
        }
    }
}

/// The connection of a `StoryDevice`. Other code carries the bytes.
private final class StoryConnection: SyncTransport {
    private var driver: SyncDriver?
    private var sent: [UInt8] = []
    private(set) var isOpen = false

    var unsentBytes: Int { 0 }
    var peerDescription: String { "the server" }

    func connected(to driver: SyncDriver) -> any SyncTransport {
        self.driver = driver
        return self
    }

    func open() {
        isOpen = driver != nil
        driver?.opened(self, byServer: StoryDevice.server)
    }

    func receive(_ bytes: [UInt8]) { driver?.received(bytes, on: self) }

    /// Reports that the connection is over.
    func hangUp() {
        let driver = driver
        self.driver = nil
        isOpen = false
        driver?.closed(self, .closed)
    }

    /// Returns the bytes sent since the last call.
    func takeSent() -> [UInt8] {
        defer { sent = [] }
        return sent
    }

    func send(_ bytes: [UInt8]) { sent += bytes }
    func close() { isOpen = false }
    func abort() { isOpen = false }
}
