import CLockstep
import FocusCore
import FocusDevice
import FocusPage
import FocusSeal
import FocusSync
import FocusText

/// The browser behind the functions that the module imports.
final class ImportedBrowser: WebBrowser {
    func ask(_ request: BrowserSocket.Request) {
        switch request {
        case .connect: lockstep_connect()
        case .send(let bytes): lockstep_send(bytes, UInt32(clamping: bytes.count))
        case .disconnect: lockstep_disconnect()
        }
    }

    func store(_ records: [UInt8], number: UInt64) {
        lockstep_keep(Double(number), records, UInt32(clamping: records.count))
    }

    func answer(_ id: Int32, _ answer: PageAnswer) {
        let type = Array((answer.type ?? "").utf8)
        lockstep_answer(
            id, Int32(clamping: answer.status), type, UInt32(clamping: type.count), answer.body,
            UInt32(clamping: answer.body.count))
    }

    func show(_ state: String, on page: Int32) {
        let json = Array(state.utf8)
        lockstep_state(page, json, UInt32(clamping: json.count))
    }

    func reportUnusable() { lockstep_unusable() }

    func wake(after delay: Duration?) { lockstep_wake(delay.map { $0.seconds * 1_000 } ?? -1) }

    var zone: Zone { .current }

    func random(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        lockstep_random(&bytes, UInt32(clamping: count))
        return bytes
    }

    func log(_ line: String) {
        let text = Array(line.utf8)
        lockstep_log(text, UInt32(clamping: text.count))
    }

    /// Returns the offset of a zone from UTC; nil if the browser doesn't know the zone.
    static func offset(of zone: String, at instant: SharedInstant) -> Duration? {
        let name = Array(zone.utf8)
        let seconds = lockstep_offset(name, UInt32(clamping: name.count), Double(instant.milliseconds))
        return seconds == .max ? nil : .seconds(Int64(seconds))
    }
}

/// TLS on a WebSocket.
final class TLSChannel: SecureChannel {
    private let engine: TLSEngine

    /// Begins the handshake.
    init(_ device: DeviceKeyPair, _ server: ServerPin) throws(SealError) {
        engine = try TLSEngine(
            key: device.key, certificate: device.certificate, pin: server,
            applicationProtocol: ProtocolVersion.applicationProtocol,
            seed: .random(count: TLSEngine.seedLength))
    }

    var state: SecureChannelState {
        switch engine.state {
        case .handshaking: .handshaking
        case .open(let server): .open(server: server)
        case .closed: .closed
        case .failed(.otherServer): .otherServer
        case .failed(.otherProtocol): .otherProtocol
        case .failed(.overflow): .broken("too many bytes wait")
        case .failed(.library(let code)): .broken("TLS failed with BearSSL's error \(code)")
        }
    }

    func receive(_ bytes: [UInt8]) { engine.receive(bytes) }
    func send(_ bytes: [UInt8]) { engine.send(bytes) }
    func removeOutgoing() -> [UInt8] { engine.removeOutgoing() }
    func removeReceived() -> [UInt8] { engine.removeReceived() }
    func close() { engine.close() }
}
