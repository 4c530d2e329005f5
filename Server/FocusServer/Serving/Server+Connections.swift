import FocusCore
import FocusNet
import FocusSeal
import FocusSync

extension Server: ConnectionHandler {
    nonisolated func opened(_ connection: Connection, peer: KeyHash?) {
        assumeIsolated { $0.open(connection, peer) }
    }

    nonisolated func received(_ bytes: RawSpan, on connection: Connection) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        assumeIsolated { server in
            guard let member = server.members[connection.id] else { return }
            server.perform(member.session.received(bytes[...], at: server.clock.read()), for: member)
        }
    }

    nonisolated func writable(_ connection: Connection) {
        assumeIsolated { server in
            guard let member = server.members[connection.id] else { return }
            server.perform(member.session.unsent(connection.unsentBytes), for: member)
        }
    }

    nonisolated func closed(_ connection: Connection, error: NetError?) {
        assumeIsolated { $0.leave(connection, error) }
    }

    private func open(_ connection: Connection, _ peer: KeyHash?) {
        // Its handshake was under way; nobody would answer it any more, nor end it.
        guard !isStopping else { return connection.abort() }
        guard let device = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
        let standing: ServerSession.Standing
        switch devices[device] {
        case nil: standing = .unknown
        case let known? where known.revoked != nil: standing = .revoked
        case let known?: standing = .member(known.group)
        }
        let session = ServerSession(
            device: device, standing: standing, program: Server.program, now: clock.read())
        members[connection.id] = Member(connection, device: device, session: session)
        log.write(.debug, "connected", ["device": device.short, "peer": connection.peerDescription])
    }

    private func leave(_ connection: Connection, _ error: NetError?) {
        guard let member = members.removeValue(forKey: connection.id) else {
            // It never opened.
            let reason = error.map { "\($0)" } ?? "closed"
            return log.write(
                .debug, "handshake-failed", ["peer": connection.peerDescription, "error": reason])
        }
        log.write(
            .debug, "disconnected",
            ["device": member.device.short, "error": error.map { "\($0)" } ?? "none"])
        leaveGroup(member)
        finishIfStopped()
    }

    /// The connection is in its group no longer.
    func leaveGroup(_ member: Member) {
        guard let group = member.group else { return }
        member.group = nil
        groups[group]?.connections.remove(member.connection.id)
        see(member.device)
        announce(member.device, in: group)
    }

    /// Takes note that a device was heard of.
    func see(_ device: Digest) {
        let now = ServerClock.wall()
        devices[device]?.lastSeen = now
        unnoted[device] = now
    }
}

extension Digest {
    /// Enough of it to tell devices apart in the log: 8 hexadecimal digits.
    var short: String { String(hexadecimal.prefix(8)) }
}
