package import FocusCore
package import FocusSeal

/// A secured stream of bytes to the group's server, without a socket: `TLSEngine` in a browser. Bytes that the
/// socket receives go in; bytes for the socket come out.
package protocol SecureChannel: AnyObject {
    /// The state after the last call.
    var state: SecureChannelState { get }
    /// Handles bytes from the socket.
    func receive(_ bytes: [UInt8])
    /// Encrypts bytes for the server. Called only while the channel is open.
    func send(_ bytes: [UInt8])
    /// Removes the bytes for the socket, and returns them.
    func removeOutgoing() -> [UInt8]
    /// Removes the server's decrypted bytes, and returns them.
    func removeReceived() -> [UInt8]
    /// Ends the channel in good order, after the bytes already sent.
    func close()
}

/// The state of a `SecureChannel`.
package enum SecureChannelState: Hashable, Sendable {
    /// The server hasn't proved yet to hold a pinned key.
    case handshaking
    /// The server holds the key with this hash.
    case open(server: Digest)
    /// One of the sides has ended the channel in good order.
    case closed
    /// The server shows another key than the pinned ones.
    case otherServer
    /// The program at the other side is no Lockstep server.
    case otherProtocol
    /// The channel broke for this reason, which is read after a colon.
    case broken(String)
}

/// Makes the channel on a socket that has just opened, for a device and a server with these keys.
package typealias SecureChannelMaker = (DeviceKeyPair, ServerPin) throws(SealError) -> any SecureChannel

/// A device's key, with the certificate that shows it in TLS, as a browser stores them.
package struct DeviceKeyPair: Sendable {
    private let number: SecretBytes
    /// The key.
    package let key: AgreementKey
    /// The key's certificate: X.509 in DER.
    package let certificate: [UInt8]

    /// Makes a new key of random bytes.
    package init(_ random: (Int) throws(SealError) -> SecretBytes) throws(SealError) {
        var number = SecretBytes([])
        key = try AgreementKey.random { (count) throws(SealError) in
            number = try random(count)
            return number
        }
        self.number = number
        let serial = try random(8).exposed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        certificate = try key.certificate(serial: serial)
    }

    /// The key pair in a result of `encoded`; nil for other bytes.
    package init?(encoded bytes: [UInt8]) {
        number = SecretBytes(Array(bytes.prefix(AgreementKey.length)))
        guard bytes.count > AgreementKey.length, let key = try? AgreementKey(number: number) else {
            return nil
        }
        self.key = key
        certificate = Array(bytes.dropFirst(AgreementKey.length))
    }

    /// The secret number and the certificate.
    package var encoded: [UInt8] { number.exposed() + certificate }
}
