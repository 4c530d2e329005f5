import FocusCore
import FocusNet
import FocusSeal
import FocusServerFiles
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
