import FocusCore
import FocusNet
import FocusSeal
import FocusStore
import FocusSync

/// What the device proves itself with.
struct Credentials {
    /// The hash of the device's public key: who it is.
    let keyHash: Digest
    /// The same, as TLS takes it.
    let context: TLSContext

    /// The identity in the device's file, which is made where there is none.
    init(_ device: Device) throws {
        let identity = try IdentityFile(path: device.home.identity).loadOrCreate()
        keyHash = identity.keyHash
        let name = keyHash.hexadecimal
        if try device.store.text(.deviceKey) != name { try device.store.setText(name, for: .deviceKey) }
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
    }
}
