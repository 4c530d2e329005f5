import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
import FocusSync

/// The server's key, ready to be shown in TLS.
struct ServingKey: Sendable {
    let context: TLSContext
    let hash: Digest

    /// The key in the data folder.
    ///
    /// - Throws: where it isn't there, or can't be used.
    init(_ folder: DataFolder) throws {
        let identity = try folder.loadIdentity()
        hash = identity.keyHash
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
    }
}

extension DataFolder {
    /// The server's key and certificate.
    func loadIdentity() throws -> DeviceIdentity {
        guard let identity = try IdentityFile(path: identity).load() else {
            throw CommandFailure("\(identity) has gone. Without it no laptop knows this server.")
        }
        return identity
    }

    /// The server's key, and the one that it announces where it does.
    func loadIdentities() throws -> [DeviceIdentity] {
        try [loadIdentity()] + (IdentityFile(path: nextIdentity).load().map { [$0] } ?? [])
    }
}
