import FocusCore
import FocusSync

// What is held in memory for connections: messages that aren't whole, what the writer has yet to do, and what laptops
// don't take. It is counted at each event of a connection, in constant time.
extension Switchboard {
    /// Counts what is held for a connection now. Where that makes too much, who holds the most has to go.
    func reckon(_ member: Member) {
        guard members[member.connection.id] != nil, !member.session.isOver else { return }
        let held = member.session.heldBytes + member.lineBytes
        let grown = held - member.heldBytes
        buffers.change(of: member.account, by: grown)
        member.heldBytes = held
        guard grown > 0, !isMakingRoom else { return }
        isMakingRoom = true
        while let crowded = buffers.crowded(after: member.account, limits), let biggest = biggest(in: crowded)
        {
            end(biggest)
        }
        isMakingRoom = false
    }

    /// Looks at what waits on a connection's line. To be called before more is sent: what is sent now is mostly taken at
    /// once, and what all of a group are sent lies in memory once.
    func lookAtLine(of member: Member) {
        member.lineBytes = member.connection.unsentBytes + member.connection.heldBytes
    }

    /// Looks at the lines of those whom something was read for lately: what they were sent is taken by now, or stuck.
    func lookAtLines() {
        for connection in exchange(&readFor, with: []) {
            guard let member = members[connection] else { continue }
            lookAtLine(of: member)
            reckon(member)
        }
    }

    /// The connection of a group, or of strangers, for which the most is held.
    private func biggest(in group: GroupID?) -> Member? {
        let ids =
            group.map { group in (crowds[group]?.all).map { $0.flatMap { connections[$0] ?? [] } } ?? [] }
            ?? doorway.all
        return ids.compactMap { members[$0] }.filter { $0.heldBytes > 0 }.max { left, right in
            (left.heldBytes, right.connection.id) < (right.heldBytes, left.connection.id)
        }
    }

    /// Ends a connection for what is held for it.
    private func end(_ member: Member) {
        let isStuck = member.connection.unsentBytes > Limits.unsent
        warnOfCrowd("memory", at: member.connection)
        perform(
            member.session.refuse(
                Refusal(.busy, "it holds too much for this group at once", retry: .after(10_000))),
            for: member)
        // Who doesn't take what it is sent doesn't take its goodbye either.
        if isStuck { member.connection.abort() } else { member.connection.close(within: Switchboard.goodbye) }
    }
}
