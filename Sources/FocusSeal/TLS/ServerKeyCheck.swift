import CBearSSL
import FocusCore

/// The check of a server's certificate for BearSSL: its key must be on P-256 and pinned. Names, dates,
/// issuers and the certificate's own signature don't matter (docs/protocol.md, "Transport").
///
/// In the handshake after it, the server proves that it holds the private key.
final class ServerKeyCheck {
    /// The address that BearSSL gets. It points back to this object, which must live as long as the engine.
    let context = SecretContext(lockstep_key_check())
    /// The hash of the pinned key that the server showed; nil before that.
    private(set) var shownKey: Digest?
    private let functions = SecretContext(br_x509_class())
    private let decoder = SecretContext<br_x509_decoder_context>(filledBy: {
        br_x509_decoder_init($0, nil, nil)
    })
    private let pins: [Digest]
    /// The number of certificates that have begun. The server's is the first.
    private var certificateCount = 0

    /// A check that accepts a server with one of these keys.
    init(pins: [Digest]) {
        self.pins = pins
        functions.pointer.pointee = ServerKeyCheck.makeFunctions()
        context.pointer.pointee.functions = UnsafePointer(functions.pointer)
        context.pointer.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    private static func makeFunctions() -> br_x509_class {
        br_x509_class(
            context_size: MemoryLayout<lockstep_key_check>.size,
            start_chain: { _, _ in },
            start_cert: { context, _ in ServerKeyCheck.of(context)?.certificateCount += 1 },
            append: { context, bytes, count in
                ServerKeyCheck.of(context)?.append(UnsafeBufferPointer(start: bytes, count: count))
            },
            end_cert: { _ in },
            end_chain: { context in
                UInt32(bitPattern: ServerKeyCheck.of(context)?.checkKey() ?? BR_ERR_X509_NOT_TRUSTED)
            },
            get_pkey: { context, usages in
                usages?.pointee = UInt32(bitPattern: BR_KEYTYPE_SIGN)
                return UnsafePointer(ServerKeyCheck.of(context)?.key)
            })
    }

    /// Returns the check under the address that BearSSL passes.
    private static func of(_ context: UnsafePointer<UnsafePointer<br_x509_class>?>?) -> ServerKeyCheck? {
        guard let context,
            let owner = UnsafeRawPointer(context).assumingMemoryBound(to: lockstep_key_check.self).pointee
                .owner
        else { return nil }
        return Unmanaged<ServerKeyCheck>.fromOpaque(owner).takeUnretainedValue()
    }

    /// The key in the first certificate; nil before its end, and if it can't be decoded.
    private var key: UnsafeMutablePointer<br_x509_pkey>? { br_x509_decoder_get_pkey(decoder.pointer) }

    /// Decodes the next bytes of the first certificate. The decoder must not get more after an error.
    private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard certificateCount == 1, decoder.pointer.pointee.err == 0 else { return }
        br_x509_decoder_push(decoder.pointer, bytes.baseAddress, bytes.count)
    }

    /// Returns 0 if the key is pinned, else BearSSL's number of an error.
    private func checkKey() -> Int32 {
        guard let key, Int32(key.pointee.key_type) == BR_KEYTYPE_EC,
            key.pointee.key.ec.curve == BR_EC_secp256r1
        else { return BR_ERR_X509_WRONG_KEY_TYPE }
        let point = Array(UnsafeBufferPointer(start: key.pointee.key.ec.q, count: key.pointee.key.ec.qlen))
        guard let hash = try? PublicKey(point).hash() else { return BR_ERR_X509_WRONG_KEY_TYPE }
        let shown = hash.bytes
        let isPinned = pins.contains { pin in
            let pinned = pin.bytes
            return constantTimeEqual(pinned.span.bytes, shown.span.bytes)
        }
        guard isPinned else { return BR_ERR_X509_NOT_TRUSTED }
        shownKey = hash
        return 0
    }
}
