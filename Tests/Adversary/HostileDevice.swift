package import FocusCore
import FocusNet
package import FocusSeal
package import FocusSync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server's port on loopback, and its pin.
package struct AttackedServer: Sendable {
    let port: UInt16
    let pin: KeyHash

    /// The server on loopback that `invite` names.
    ///
    /// - Throws: `AttackEnd.silence` if the invite names no usable address or key.
    package init(_ invite: Invite) throws {
        guard let port = invite.addresses.lazy.compactMap({ Address($0) }).first?.port,
            let pin = KeyHash(invite.server.key.bytes)
        else { throw AttackEnd.silence("the invite names no server") }
        self.port = port
        self.pin = pin
    }
}

/// A device with a key of its own, which can open any number of connections.
package final class HostileDevice: Sendable {
    package let key: Digest
    let server: AttackedServer
    private let context: TLSContext
    private let loop: AttackLoop

    /// A device with a new key, which the server doesn't know.
    package init(at server: AttackedServer, on loop: AttackLoop) throws {
        let identity = try DeviceIdentity.generate()
        key = identity.keyHash
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
        self.server = server
        self.loop = loop
    }

    /// Opens a connection and sends nothing on it.
    package func connect() -> HostileConnection {
        let loop = loop.loop
        let handler = HostileConnection(on: loop)
        loop.run { [server, context] in
            handler.attach(
                Connection.connect(
                    to: .tcp(host: "127.0.0.1", port: server.port), over: .tls(context, pins: [server.pin]),
                    on: loop, limits: HostileConnection.limits, handler: handler))
        }
        return handler
    }

    /// Opens a connection and sends a hello on it.
    package func greet(
        _ purpose: Hello.Purpose, within bounds: AttackBounds
    ) throws(AttackEnd) -> HostileConnection {
        let connection = connect()
        let hello = Hello(versions: ProtocolVersion.spoken, purpose: purpose, sent: .zero, program: "hostile")
        try connection.send(.hello(hello), within: bounds)
        return connection
    }

    /// Enrols with an invite: joins its group, or brings a new group if the invite is for that.
    package func enrol(_ invite: Invite, within bounds: AttackBounds) throws -> HostileMember {
        var brought: (GroupID, EpochID)?
        if invite.kind == .bringGroup { brought = (try .random(), try EpochKey.random().epoch) }
        let token = try invite.secret.token().bytes.exposed()
        return try enrol(token, bringing: brought, within: bounds)
    }

    /// Enrols with the token of an invite.
    func enrol(
        _ token: [UInt8], bringing brought: (GroupID, EpochID)? = nil, within bounds: AttackBounds
    ) throws -> HostileMember {
        let connection = try greet(.enrol, within: bounds)
        defer { connection.abort() }
        let kind = brought.map { Enrol.Kind.bring($0.0, $0.1) } ?? .join
        try connection.send(.enrol(Enrol(token: token, kind: kind)), within: bounds)
        let welcome = try connection.welcome(within: bounds)
        if let brought { return HostileMember(device: self, group: brought.0, epoch: brought.1) }
        // The group's events that a newcomer receives name the epoch that the others write under.
        try connection.send(HostileMember.requestForAll, within: bounds)
        let epoch = try connection.receive("an event of the group", within: bounds) { message in
            if case .push(let segment) = message { segment.events.first { _ in true }?.epoch } else { nil }
        }
        return HostileMember(device: self, group: welcome.group, epoch: epoch)
    }
}
