package import FocusCore
package import FocusNet
import FocusSeal
import FocusServerStore
import FocusSync
package import FocusWriter

extension Switchboard {
    /// A connection can be used, whose other side proved to hold the key of this hash.
    package func opened(_ connection: any MemberConnection, _ device: Digest) {
        arriving[connection.id] = nil
        // Its handshake was under way; nobody would answer it any more, nor end it.
        guard !isStopping else { return connection.abort() }
        let standing = rosters.standing(of: device)
        let now = clock.read()
        let session = ServerSession(
            device: device, standing: standing, program: Switchboard.program, limits: limits.session,
            now: now)
        let member = Member(
            connection, device: device, shownKey: connection.shownKey ?? pin.key, opened: now.steady,
            session: session)
        members.add(member)
        metrics.shookHands()
        log.write(.debug, "connected", ["device": device.short, "peer": connection.peerDescription])
        guard case .member(let group) = standing else { return makeWay(for: connection) }
        if let refusal = count(member, in: group) { perform(member.session.refuse(refusal), for: member) }
    }

    /// Bytes came.
    package func received(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let member = members[connection] else { return }
        metrics.bytesReceived += UInt64(bytes.count)
        lookAtLine(of: member)
        // Where others wait for their turn, this one does too.
        perform(
            member.session.received(bytes[...], at: clock.read(), hasTurn: turns.isEmpty), for: member)
    }

    /// What was unsent has gone out, after there had been too much.
    package func writable(_ connection: ConnectionID) {
        guard let member = members[connection] else { return }
        lookAtLine(of: member)
        perform(member.session.unsent(member.connection.unsentBytes), for: member)
    }

    /// A connection is over; `problem` and its code say why, where something went wrong.
    package func closed(
        _ connection: any MemberConnection, _ problem: String?, code: NetError.Code = .closed
    ) {
        arriving[connection.id] = nil
        doorway.leave(connection.id)
        guard let member = members.remove(connection.id) else {
            // It never opened.
            metrics.failedToShakeHands(code)
            return log.write(
                .debug, "handshake-failed",
                ["peer": connection.peerDescription, "error": problem ?? "closed"])
        }
        log.write(.debug, "disconnected", ["device": member.device.short, "error": problem ?? "none"])
        endCount(of: member)
        finishIfStopped()
    }

    /// The connection is over, or about to be.
    func endCount(of member: Member) {
        discount(member)
        leaveGroup(member)
    }

    /// The connection is in its group no longer.
    private func leaveGroup(_ member: Member) {
        guard let group = member.group else { return }
        member.group = nil
        storage?.read(.ended(member.connection.id))
        groups[group]?.leave(member.connection.id)
        if !member.hasTakenGroup { rosters.turnDown(group, member.device) }
        guard !isConnected(member.device, in: group) else { return }
        see(member.device, in: group)
        announce(member.device, in: group)
    }

    /// Takes note that a device of a group came or went. Of one that is only listed nothing is noted: it may be another
    /// group's.
    ///
    /// - Parameter connection: by which it came; nil where it went.
    func see(_ device: Digest, in group: GroupID, on connection: Member? = nil) {
        guard rosters.isHome(group, of: device) else { return }
        let now = clock.wall()
        rosters.see(device, in: group, at: now)
        unnoted[device] = Sighting(
            time: now, connectedSince: connection == nil ? nil : now,
            program: connection?.session.clientProgram ?? unnoted[device]?.program)
        isNoteDue = true
    }
}

extension Digest {
    /// Enough of it to tell devices apart in the log: 8 hexadecimal digits.
    package var short: String { String(hexadecimal.prefix(8)) }
}
