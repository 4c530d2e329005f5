import FocusCore
import FocusDevice
import FocusNet
import FocusSeal
import FocusSync

/// A device that uploads prepared batches, up to `window` of them unacknowledged at a time.
final class LoadSource: ConnectionHandler {
    enum Event {
        case ready, finished
        case failed(any Error)
    }

    private let invite: Invite
    private let context: TLSContext
    private let pin: KeyHash
    private let group: GroupID
    private let epoch: EpochID
    /// The encoded uploads.
    private let uploads: [[UInt8]]
    private let report: (Event) -> Void
    private var decoder = FrameDecoder()
    private var connection: Connection?
    private var sent = 0
    private var acknowledged = 0

    /// The number of batches that may be unacknowledged at a time.
    private let window: Int

    init(_ load: Load, _ invite: Invite, number: Int, report: @escaping (Event) -> Void) throws {
        self.invite = invite
        self.report = report
        window = load.window
        let identity = try DeviceIdentity.generate()
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
        guard let pin = KeyHash(invite.server.key.bytes) else { throw Programs.Failed(description: "no pin") }
        self.pin = pin
        group = try GroupID.random()
        let key = try EpochKey.random()
        epoch = key.epoch
        uploads = try PreparedUploads.make(
            batches: load.batches, of: load.batch, group, epoch, ReplicaID(rawValue: UInt64(number) + 1))
    }

    func connect(on loop: EventLoop) {
        guard let endpoint = invite.addresses.first.flatMap({ Address($0) })?.endpoint else {
            return report(.failed(Programs.Failed(description: "the invite names no address")))
        }
        connection = Connection.connect(
            to: endpoint, over: .tls(context, pins: [pin]), on: loop, handler: self)
    }

    /// Uploads all batches, from the first on.
    func begin() {
        sent = 0
        acknowledged = 0
        for _ in 0..<window { sendNext() }
    }

    private func sendNext() {
        guard sent < uploads.count else { return }
        connection?.send(uploads[sent])
        sent += 1
    }

    func opened(_ connection: Connection, peer: KeyHash?) {
        let hello = Hello(
            versions: ProtocolVersion.spoken, purpose: .enrol, sent: .now,
            program: "benchmark")
        connection.send(Message.hello(hello).encoded())
    }

    func received(_ bytes: RawSpan, on connection: Connection) {
        let copy = bytes.withUnsafeBytes { Array($0) }
        decoder.append(copy[...])
        do {
            while let frame = try decoder.next() { try handle(try Message(frame), on: connection) }
        } catch {
            report(.failed(error))
        }
    }

    private func handle(_ message: Message, on connection: Connection) throws {
        switch message {
        case .greeting:
            let token = try invite.secret.token().bytes.exposed()
            connection.send(Message.enrol(Enrol(token: token, kind: .bring(group, epoch))).encoded())
        case .welcome:
            connection.send(Message.have(Have()).encoded())
            report(.ready)
        case .ack(let ack):
            if let stop = ack.stop {
                throw Programs.Failed(description: "stopped by code \(stop.code.rawValue)")
            }
            acknowledged += 1
            if acknowledged == uploads.count { report(.finished) } else { sendNext() }
        case .error(let refusal): throw Programs.Failed(description: refusal.message)
        default: break
        }
    }

    func writable(_ connection: Connection) {}

    func closed(_ connection: Connection, error: NetError?) {
        if let error, error.code != .loopStopped { report(.failed(error)) }
    }
}
