import FocusCore
package import FocusDevice
package import FocusNet
import FocusSeal
import FocusSync

/// What the device proves itself with.
package struct Credentials {
    /// Its key, for what the group's keys are wrapped to.
    let secrets: DeviceSecrets
    /// The same, as TLS takes it.
    let context: TLSContext

    /// The identity in the device's file, which is made where there is none. Not where the device's group knows it
    /// already: a new one would be a stranger's there.
    init(_ device: Device) throws {
        let identity = try device.identity() ?? IdentityFile(path: device.home.identity).loadOrCreate()
        secrets = try DeviceSecrets(AgreementKey(identity))
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
    }

    /// How the device gets to servers over TLS, on the loop's thread.
    package static func approaching(_ device: Device, on loop: EventLoop) -> Approaching {
        { server in
            let credentials = try Credentials(device)
            let pins = server.pin.keys.compactMap { KeyHash($0.bytes) }
            let routes = server.endpoints.map { endpoint -> SyncRoute in
                { driver in
                    Connection.connect(
                        to: endpoint, over: .tls(credentials.context, pins: pins), on: loop, handler: driver)
                }
            }
            return Approach(credentials.secrets, routes: routes)
        }
    }
}
