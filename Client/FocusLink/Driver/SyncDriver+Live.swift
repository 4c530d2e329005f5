package import FocusCore
package import FocusDevice
package import FocusNet
import FocusSeal
import FocusSync

// What the driver has in the real world: TLS connections, the device's key, and the machine's clock.
extension SyncDriver: ConnectionHandler {
    /// TLS stands, and the server has shown a key that is pinned: begins to talk.
    package func opened(_ connection: Connection, peer: KeyHash?) {
        guard let shown = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
        opened(connection, byServer: shown)
    }

    /// Bytes from the server, which are copied.
    package func received(_ bytes: RawSpan, on connection: Connection) {
        received(bytes.withUnsafeBytes { Array($0) }, on: connection)
    }

    /// Few of the bytes that were to be sent are left: the session may give more.
    package func writable(_ connection: Connection) { drained() }

    /// The connection is over; if it broke before it stood, the next address is tried.
    package func closed(_ connection: Connection, error: NetError?) {
        let end: TransportEnd =
            switch error?.code {
            case nil: .closed
            case .pinMismatch: .otherServer(connection.peerDescription)
            case .otherProtocol: .broken(.otherProtocol)
            default: .broken(.network(error?.context ?? ""))
            }
        closed(connection, end)
    }
}

extension Connection: SyncTransport {}

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
        { server, patience in
            let credentials = try Credentials(device)
            let pins = server.pin.keys.compactMap { KeyHash($0.bytes) }
            let routes = server.endpoints.map { endpoint -> SyncRoute in
                { driver in
                    Connection.connect(
                        to: endpoint, over: .tls(credentials.context, pins: pins), on: loop,
                        limits: ConnectionLimits(within: patience), handler: driver)
                }
            }
            return Approach(credentials.secrets, routes: routes)
        }
    }
}

/// The machine's clock, and an event loop's timers.
package final class LoopTime: Timekeeper {
    private let loop: EventLoop

    /// The time of whoever lives on this loop.
    package init(_ loop: EventLoop) { self.loop = loop }

    /// The time since the machine started, time asleep included.
    package func now() -> SteadyInstant { .process }

    /// Calls `body` on the loop's thread once `delay` has passed. To be asked there too.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let timer: LoopTimer = loop.schedule(after: delay, body)
        return timer
    }
}

extension LoopTimer: Alarm {}
