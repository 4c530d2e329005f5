package import FocusCore
import FocusSeal
package import FocusSync
import TestSupport

/// A hostile device that is a member of a group.
package struct HostileMember: Sendable {
    package let device: HostileDevice
    package let group: GroupID
    /// An epoch that the server has a record of.
    package let epoch: EpochID

    /// A `have` message with nothing in it, which asks for all of the group's events.
    static let requestForAll = Message.have(Have()).encoded()

    /// Opens a connection and waits for the welcome. Claims to have all events and epochs that the welcome
    /// names, so that the server sends none.
    package func connect(
        within bounds: AttackBounds
    ) throws(AttackEnd) -> (connection: HostileConnection, welcome: Welcome) {
        let connection = try device.greet(.sync, within: bounds)
        let welcome = try connection.welcome(within: bounds)
        let have = Have(vector: welcome.vector, epochs: welcome.epochs)
        try connection.send(.have(have), within: bounds)
        return (connection, welcome)
    }

    /// Calls `body` with a connection that was welcomed, and then ends the connection.
    func withConnection<Result>(
        within bounds: AttackBounds, _ body: (HostileConnection, Welcome) throws -> Result
    ) throws -> Result {
        let (connection, welcome) = try connect(within: bounds)
        defer { connection.abort() }
        return try body(connection, welcome)
    }

    /// Calls `send` again and again on a connection that was welcomed, and reads no answer.
    func flood(within bounds: AttackBounds, _ send: (HostileConnection) throws -> Void) throws {
        try withConnection(within: bounds) { connection, _ in
            connection.discardMessages()
            while true {
                try bounds.countMessage()
                try send(connection)
            }
        }
    }

    /// Enrols up to `count` more devices by invites, until the server refuses one.
    func enrolMore(_ count: Int, on loop: AttackLoop, within bounds: AttackBounds) throws -> [HostileMember] {
        let (connection, _) = try connect(within: bounds)
        defer { connection.abort() }
        var recruits: [HostileMember] = []
        for _ in 0..<count {
            let token = try InviteSecret.random().token()
            let request = InviteRequest(
                tokenHash: try token.hash(), bundle: [UInt8](repeating: 1, count: 64), lifetime: 60_000)
            let number = try connection.sendRequest(.createInvite(request), within: bounds)
            let isMade = try connection.receive("an invite", within: bounds) { message -> Bool? in
                switch message {
                case .done(number): true
                case .refused(number, _): false
                default: nil
                }
            }
            guard isMade else { break }
            let device = try HostileDevice(at: device.server, on: loop)
            do {
                recruits.append(try device.enrol(token.bytes.exposed(), within: bounds))
            } catch AttackEnd.connection {
                break
            }
        }
        return recruits
    }
}

extension HostileConnection {
    /// Sends a message.
    package func send(_ message: Message, within bounds: AttackBounds) throws(AttackEnd) {
        try send(message.encoded(), within: bounds)
    }

    /// Waits for the server's welcome and returns it.
    func welcome(within bounds: AttackBounds) throws(AttackEnd) -> Welcome {
        try receive("the welcome", within: bounds) { message in
            if case .welcome(let welcome) = message { welcome } else { nil }
        }
    }

    /// Sends the devices of a roster, in as many requests as they need.
    func sendRoster(_ roster: [RosterEntry], within bounds: AttackBounds) throws(AttackEnd) {
        var left = roster[...]
        while !left.isEmpty {
            try sendRequest(.roster(Array(left.prefix(Limits.rosterPiece))), within: bounds)
            left = left.dropFirst(Limits.rosterPiece)
        }
    }

    /// Waits until the server has handled all earlier requests about the group. For that it revokes `key` and
    /// waits for the answer.
    func waitUntilHandled(revoking key: Digest, within bounds: AttackBounds) throws(AttackEnd) {
        let number = try sendRequest(.revoke(key), within: bounds)
        try receive("an answer to a revocation", within: bounds) { message -> Void? in
            switch message {
            case .done(number), .refused(number, _): ()
            default: nil
            }
        }
    }

    /// Waits for the next ack and returns it.
    func ack(within bounds: AttackBounds) throws(AttackEnd) -> Ack {
        try receive("an ack", within: bounds) { message in
            if case .ack(let ack) = message { ack } else { nil }
        }
    }
}
