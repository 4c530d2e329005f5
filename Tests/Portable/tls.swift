import CBearSSL
import FocusCore

@testable import FocusSeal

/// TLS between a device and a server of BearSSL's in memory.
enum TLSInMemory {
    /// The checks that fail, by their names.
    static var failures: [String] {
        let checks: [(name: String, holds: () throws(SealError) -> Bool)] = [
            ("a pinned key", opensWithPinnedKey), ("bytes in both directions", echoes),
            ("another key", refusesOtherServer), ("another protocol", refusesOtherProtocol),
            ("altered bytes", refusesAlteredBytes), ("other bytes", refusesOtherBytes),
            ("the end", closes), ("too many bytes", limitsWaitingBytes), ("wrong lengths", refusesLengths),
        ]
        return checks.filter { check in
            do throws(SealError) { return !(try check.holds()) } catch { return true }
        }.map { "TLS: \($0.name)" }
    }

    private static let applicationProtocol = "test/1"

    /// Returns a server that also shows the certificates of `others`, after its own.
    private static func makeServer(
        _ device: UInt8 = 1, others: [AgreementKey] = [], speaking name: String? = applicationProtocol
    ) throws(SealError) -> TLSServer {
        try TLSServer(
            Vectors.device(device), others: others, client: Vectors.device(2).publicKey.hash(), speaking: name
        )
    }

    /// Returns a client that accepts the server, or servers with these keys.
    private static func makeClient(pin: ServerPin? = nil) throws(SealError) -> TLSEngine {
        let key = try Vectors.device(2)
        let serverKey = try Vectors.device(1).publicKey.hash()
        return try TLSEngine(
            key: key, certificate: key.certificate(serial: 7), pin: pin ?? ServerPin(serverKey),
            applicationProtocol: applicationProtocol, seed: seed(TLSEngine.seedLength))
    }

    private static func seed(_ count: Int) -> SecretBytes { SecretBytes([UInt8](repeating: 3, count: count)) }

    /// Carries bytes between both sides, `piece` bytes at a time, until neither has more.
    private static func connect(_ client: TLSEngine, _ server: TLSServer, piece: Int = .max) {
        while true {
            var answer: [UInt8] = []
            var request = client.removeOutgoing()[...]
            guard !request.isEmpty else { return }
            while !request.isEmpty {
                answer += server.exchange(Array(request.prefix(piece)))
                request = request.dropFirst(piece)
            }
            var rest = answer[...]
            while !rest.isEmpty {
                client.receive(Array(rest.prefix(piece)))
                rest = rest.dropFirst(piece)
            }
        }
    }

    private static func opensWithPinnedKey() throws(SealError) -> Bool {
        let key = try Vectors.device(1).publicKey.hash()
        let other = try Vectors.device(3).publicKey.hash()
        let clientKey = try Vectors.device(2).publicKey.hash()
        for (pin, piece) in [(ServerPin(key), 1), (ServerPin(other, next: key), Int.max)] {
            let (client, server) = (try makeClient(pin: pin), try makeServer())
            guard client.state == .handshaking else { return false }
            client.send([1])
            connect(client, server, piece: piece)
            guard client.state == .open(server: key), client.removeReceived().isEmpty,
                server.clientKey == clientKey
            else { return false }
        }
        return true
    }

    private static func echoes() throws(SealError) -> Bool {
        let (client, server) = (try makeClient(), try makeServer())
        connect(client, server)
        for (count, piece) in [(1, 1), (1_000, 7), (100_000, 1_000), (40_000, Int.max)] {
            let text = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            client.send(text)
            connect(client, server, piece: piece)
            guard client.removeReceived() == text else { return false }
        }
        return true
    }

    /// The pinned key's certificate after the server's own, as an issuer's, changes nothing.
    private static func refusesOtherServer() throws(SealError) -> Bool {
        for others in [[], [try Vectors.device(1)]] {
            let (client, server) = (try makeClient(), try makeServer(3, others: others))
            client.receive(server.exchange(client.removeOutgoing()))
            // Only the alert bad_certificate, and no certificate.
            guard client.state == .failed(.otherServer),
                client.removeOutgoing() == [21, 3, 3, 0, 2, 2, 42]
            else { return false }
        }
        let (client, server) = (try makeClient(), try makeServer(others: [Vectors.device(3)]))
        connect(client, server)
        return try client.state == .open(server: Vectors.device(1).publicKey.hash())
    }

    private static func refusesOtherProtocol() throws(SealError) -> Bool {
        for name in ["test/2", nil] {
            let (client, server) = (try makeClient(), try makeServer(speaking: name))
            connect(client, server)
            guard client.state == .failed(.otherProtocol) else { return false }
        }
        return true
    }

    private static func refusesAlteredBytes() throws(SealError) -> Bool {
        let first = try makeServer().exchange(makeClient().removeOutgoing())
        guard first.count > 400 else { return false }
        // After the header of the first record.
        for place in stride(from: 5, to: first.count, by: 11) {
            let (client, server) = (try makeClient(), try makeServer())
            var answer = server.exchange(client.removeOutgoing())
            guard answer == first else { return false }
            answer[place] ^= UInt8(1) << UInt8(place % 8)
            client.receive(answer)
            connect(client, server)
            if case .open = client.state { return false }
        }
        return try refusesAlteredRecord()
    }

    private static func refusesAlteredRecord() throws(SealError) -> Bool {
        let (client, server) = (try makeClient(), try makeServer())
        connect(client, server)
        client.send([1, 2, 3])
        var answer = server.exchange(client.removeOutgoing())
        guard let last = answer.indices.last else { return false }
        answer[last] ^= 1
        client.receive(answer)
        client.send([4])
        return client.state == .failed(.library(BR_ERR_BAD_MAC)) && client.removeReceived().isEmpty
            && client.removeOutgoing().isEmpty
    }

    private static func refusesOtherBytes() throws(SealError) -> Bool {
        let texts = [Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [UInt8](repeating: 0, count: 100_000)]
        for text in texts {
            let client = try makeClient()
            _ = client.removeOutgoing()
            client.receive(text)
            client.receive(text)
            client.close()
            guard client.state == .failed(.library(BR_ERR_UNSUPPORTED_VERSION)),
                client.removeOutgoing().isEmpty
            else { return false }
        }
        return true
    }

    private static func closes() throws(SealError) -> Bool {
        let (first, firstServer) = (try makeClient(), try makeServer())
        connect(first, firstServer)
        first.close()
        guard first.state == .closed else { return false }
        connect(first, firstServer)
        let (second, secondServer) = (try makeClient(), try makeServer())
        connect(second, secondServer)
        let end = secondServer.close()
        second.receive(end.dropLast())
        guard case .open = second.state else { return false }
        second.receive(end.suffix(1))
        guard second.state == .closed else { return false }
        connect(second, secondServer)
        // Each client has announced its end.
        return firstServer.hasClosed && secondServer.hasClosed
    }

    private static func limitsWaitingBytes() throws(SealError) -> Bool {
        let (client, server) = (try makeClient(), try makeServer())
        connect(client, server)
        let megabyte = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<7 { client.send(megabyte) }
        guard case .open = client.state else { return false }
        client.send(megabyte)
        guard client.state == .failed(.overflow) else { return false }
        let (reader, writer) = (try makeClient(), try makeServer())
        connect(reader, writer)
        for _ in 0..<8 {
            reader.send(megabyte)
            connect(reader, writer)
        }
        guard case .open = reader.state else { return false }
        reader.send([1])
        connect(reader, writer)
        return reader.state == .failed(.overflow)
    }

    private static func refusesLengths() throws(SealError) -> Bool {
        let key = try Vectors.device(2)
        let pin = ServerPin(try key.publicKey.hash())
        func isRefused(certificate: Int = 300, name: Int = 6, seed count: Int = 32) -> Bool {
            let certificate = [UInt8](repeating: 0, count: certificate)
            do throws(SealError) {
                _ = try TLSEngine(
                    key: key, certificate: certificate, pin: pin,
                    applicationProtocol: String(repeating: "x", count: name), seed: seed(count))
                return false
            } catch { return error.code == .library }
        }
        return !isRefused() && isRefused(certificate: 1_025) && isRefused(name: 64) && isRefused(seed: 31)
    }
}

/// A server of BearSSL's in memory, which wants a certificate and sends back all bytes.
private final class TLSServer {
    private let context = SecretContext<br_ssl_server_context>(filledBy: { br_ssl_server_zero($0) })
    private let check: ServerKeyCheck
    /// The memory to which BearSSL keeps pointers.
    private var memory: [UnsafeMutableRawPointer] = []
    private var unsent: [UInt8] = []

    /// A server with this key that accepts only the client with this key hash. It shows the certificates of
    /// `others` after its own, and speaks no application protocol if `name` is nil.
    init(
        _ key: AgreementKey, others: [AgreementKey], client: Digest, speaking name: String?
    ) throws(SealError) {
        check = ServerKeyCheck(pins: [client])
        let number = key.key.number.exposed()
        var certificates: [[UInt8]] = []
        for key in [key] + others { certificates.append(try key.certificate(serial: 9)) }
        lockstep_tls_choose(engine)
        // BR_OPT_FAIL_ON_ALPN_MISMATCH
        br_ssl_engine_add_flags(engine, 1 << 3)
        let chain = copy(certificates.map { br_x509_certificate(data: copy($0), data_len: $0.count) })
        let privateKey = copy(br_ec_private_key(curve: BR_EC_secp256r1, x: copy(number), xlen: number.count))
        br_ssl_server_set_single_ec(
            context.pointer, chain, certificates.count, privateKey, UInt32(BR_KEYTYPE_SIGN),
            UInt32(BR_KEYTYPE_EC),
            br_ssl_engine_get_ec(engine), br_ecdsa_i31_sign_asn1)
        // Without the name of an authority, BearSSL wants no certificate.
        let authority = copy(br_x500_name(data: copy([0x30, 0x00] as [UInt8]), len: 2))
        br_ssl_server_set_trust_anchor_names(context.pointer, authority, 1)
        br_ssl_engine_set_x509(
            engine,
            UnsafeMutableRawPointer(check.context.pointer)
                .assumingMemoryBound(to: UnsafePointer<br_x509_class>?.self))
        if let name {
            let text: [CChar] = name.utf8.map { CChar(bitPattern: $0) } + [0]
            let start: UnsafePointer<CChar>? = UnsafePointer(copy(text))
            br_ssl_engine_set_protocol_names(engine, copy(start), 1)
        }
        let (inputLength, outputLength) = (16_384 + 325, 16_384 + 85)
        let input = copy([UInt8](repeating: 0, count: inputLength))
        let output = copy([UInt8](repeating: 0, count: outputLength))
        br_ssl_engine_set_buffers_bidi(engine, input, inputLength, output, outputLength)
        br_ssl_engine_inject_entropy(engine, [UInt8](repeating: 5, count: 32), 32)
        guard br_ssl_server_reset(context.pointer) == 1 else {
            throw SealError(.library, "a server doesn't begin")
        }
    }

    deinit { for start in memory { start.deallocate() } }

    /// The hash of the client's key; nil before it has shown it.
    var clientKey: Digest? { check.shownKey }

    /// Whether both sides have ended the connection in good order.
    var hasClosed: Bool {
        Int32(bitPattern: br_ssl_engine_current_state(engine)) == BR_SSL_CLOSED
            && br_ssl_engine_last_error(engine) == BR_ERR_OK
    }

    private var engine: UnsafeMutablePointer<br_ssl_engine_context> {
        UnsafeMutableRawPointer(context.pointer).assumingMemoryBound(to: br_ssl_engine_context.self)
    }

    /// Ends the connection. Returns bytes for the client.
    func close() -> [UInt8] {
        br_ssl_engine_close(engine)
        return exchange([])
    }

    /// Handles bytes from the client. Returns bytes for it.
    func exchange(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var answer: [UInt8] = []
        while true {
            var count = 0
            if let start = br_ssl_engine_sendrec_buf(engine, &count) {
                answer += UnsafeBufferPointer(start: start, count: count)
                br_ssl_engine_sendrec_ack(engine, count)
            } else if let start = br_ssl_engine_recvapp_buf(engine, &count) {
                unsent += UnsafeBufferPointer(start: start, count: count)
                br_ssl_engine_recvapp_ack(engine, count)
            } else if !unsent.isEmpty, let target = br_ssl_engine_sendapp_buf(engine, &count) {
                let next = unsent.prefix(count)
                for (place, byte) in next.enumerated() { target[place] = byte }
                unsent.removeFirst(next.count)
                br_ssl_engine_sendapp_ack(engine, next.count)
                br_ssl_engine_flush(engine, 0)
            } else if !rest.isEmpty, let target = br_ssl_engine_recvrec_buf(engine, &count) {
                let next = rest.prefix(count)
                for (place, byte) in next.enumerated() { target[place] = byte }
                rest = rest.dropFirst(next.count)
                br_ssl_engine_recvrec_ack(engine, next.count)
            } else {
                return answer
            }
        }
    }

    /// Copies the elements to memory that stays in its place.
    private func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        copy.initialize(from: elements, count: elements.count)
        memory.append(UnsafeMutableRawPointer(copy))
        return copy
    }

    /// Copies the value to memory that stays in its place.
    private func copy<Value: BitwiseCopyable>(_ value: Value) -> UnsafeMutablePointer<Value> { copy([value]) }
}
