package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusNet
import FocusSeal
import FocusSync

// The driver's real-world parts: TLS connections, the device's key, and the machine's clock.
extension SyncDriver: ConnectionHandler {
    /// Starts the session after the TLS handshake, in which the server showed a pinned key.
    package func opened(_ connection: Connection, peer: KeyHash?) {
        guard let shown = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
        opened(connection, byServer: shown)
    }

    /// Passes a copy of the bytes from the server to the session.
    package func received(_ bytes: RawSpan, on connection: Connection) {
        received(bytes.withUnsafeBytes { Array($0) }, on: connection)
    }

    /// Tells the session that few unsent bytes are left, so it may send more.
    package func writable(_ connection: Connection) { drained() }

    /// Handles the end of the connection. If it failed before it was open, the next route is tried.
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

/// The device's key, for TLS and for the group's keys.
package struct Credentials {
    /// The device's key for unwrapping the group's keys.
    let secrets: DeviceSecrets
    /// The same key for TLS.
    let context: TLSContext

    /// Reads the identity in the device's file, or makes one if there is none. Throws if the device's group
    /// knows another key than the file's: a new identity would be a stranger in that group.
    init(_ device: Device) throws {
        let identity = try device.identity() ?? IdentityFile(path: device.home.identity).loadOrCreate()
        secrets = try DeviceSecrets(AgreementKey(identity), random: device.platform.random)
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
    }

    /// Returns a function that finds the device's routes to a server over TLS, for use on the loop's thread.
    package static func routes(of device: Device, on loop: EventLoop) -> ServerRoutesProvider {
        { (server, patience) throws(LocalFailure) in
            let credentials = try LocalFailure.wrapping { try Credentials(device) }
            let pins = server.pin.keys.compactMap { KeyHash($0.bytes) }
            let routes = SharedServer(device.home).endpoints(of: server).map { endpoint -> Route in
                { driver in
                    Connection.connect(
                        to: endpoint, over: .tls(credentials.context, pins: pins), on: loop,
                        limits: ConnectionLimits(within: patience), handler: driver)
                }
            }
            return ServerRoutes(credentials.secrets, routes: routes)
        }
    }
}

/// The machine's clock, and the timers of an event loop.
package final class LoopTime: Scheduler {
    private let loop: EventLoop

    /// Creates the scheduler for code that runs on this loop.
    package init(_ loop: EventLoop) { self.loop = loop }

    /// The time since the machine started, including suspensions.
    package func now() -> SteadyInstant { .now }

    /// Calls `body` on the loop's thread after `delay`. Must be called on that thread too.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let timer: LoopTimer = loop.schedule(after: delay, body)
        return timer
    }
}

extension LoopTimer: Alarm {}
