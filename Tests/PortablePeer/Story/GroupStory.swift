import FocusCore
import FocusSeal
import FocusServerCore
import MemoryServer

/// A member of the story: a device here, or one in the module.
protocol StoryMember: AnyObject {
    /// Carries out a command, and returns the answer, as `StoryDevice` does.
    func answer(_ command: String) throws -> String
}

extension StoryDevice: StoryMember {}

/// Three devices press apart, and agree through a server. One is revoked, and the group's key changes.
final class GroupStory {
    /// A reason why the story doesn't end as it must.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A member's answer, as `StoryDevice.answer` describes.
    private struct Answer {
        let result: String
        let isOpen: Bool
        let sent: [UInt8]

        init(_ text: String) throws {
            let words = text.split(separator: " ")
            guard words.count == 3, let sent = words[2] == "-" ? [] : bytes(hexadecimal: String(words[2]))
            else { throw Failure(description: "not an answer: \(text)") }
            result = String(words[0])
            isOpen = words[1] == "open"
            self.sent = sent
        }
    }

    private let members: [(name: String, member: any StoryMember)]
    private let server: MemoryServer
    private let firstSecret: InviteSecret
    private var keys: [String: Digest] = [:]
    /// All commands and answers, in order.
    private(set) var transcript: [String] = []

    /// Prepares the story of the members A, B and C, which must be new.
    init(_ members: [(name: String, member: any StoryMember)]) throws {
        self.members = members
        firstSecret = try GroupStory.secret(1)
        server = try MemoryServer(
            ServerLimits(), tokens: [firstSecret.token().hash()], key: StoryDevice.server)
    }

    func run() throws {
        for (name, _) in members { keys[name] = Digest(hexadecimal: try tell(name, "key").result) }
        guard let lost = keys["C"] else { throw Failure(description: "C has no key") }
        try press("A", "start Write")
        try operate("A", "join \(try GroupStory.invite(.bringGroup, firstSecret).text())")
        try join("B", at: "A", 2)
        try join("C", at: "B", 3)
        try agree(["A", "B", "C"])

        // All three are offline.
        try advance(60)
        try press("C", "toggle")
        try advance(5)
        try press("B", "stop")
        try press("B", "start Read")
        try advance(5)
        try press("A", "toggle")
        try advance(60)
        try press("B", "toggle")
        let former = try agree(["B", "C", "A"])

        try operate("A", "revoke \(lost.hexadecimal)")
        try press("A", "toggle")
        try advance(60)
        try press("C", "toggle")
        try agree(["B", "A"])
        for name in ["A", "B"] { try expect(name, "epochs", "2") }
        guard try finish("C", "sync") != "done" else { throw Failure(description: "C is let in") }
        try expect("C", "epochs", "1")
        guard try tell("A", "state").result != former else { throw Failure(description: "nothing changed") }
    }

    private static func secret(_ byte: UInt8) throws -> InviteSecret {
        guard let secret = InviteSecret(SecretBytes([UInt8](repeating: byte, count: InviteSecret.length)))
        else { throw Failure(description: "no secret") }
        return secret
    }

    private static func invite(_ kind: Invite.Kind, _ secret: InviteSecret) throws -> Invite {
        try Invite(
            kind: kind, addresses: ["server.example"], server: ServerPin(StoryDevice.server), secret: secret)
    }

    private func join(_ newcomer: String, at member: String, _ byte: UInt8) throws {
        let secret = try GroupStory.secret(byte)
        try operate(
            member, "invite \(hexadecimal([UInt8](repeating: byte, count: InviteSecret.length)))")
        guard let group = server.groups.keys.first else { throw Failure(description: "no group") }
        let invite = try GroupStory.invite(.joinGroup(GroupMark(of: group)), secret)
        try operate(newcomer, "join \(invite.text())")
    }

    // MARK: - Commands

    private func tell(_ name: String, _ command: String) throws -> Answer {
        guard let member = members.first(where: { $0.name == name })?.member else {
            throw Failure(description: "nobody is \(name)")
        }
        let text = try member.answer(command)
        transcript.append("\(name) \(command): \(text)")
        return try Answer(text)
    }

    private func expect(_ name: String, _ command: String, _ result: String) throws {
        let answer = try tell(name, command)
        guard answer.result == result else {
            throw Failure(description: "\(name) \(command): \(answer.result), not \(result)")
        }
    }

    private func press(_ name: String, _ command: String) throws { try expect(name, command, "done") }

    private func advance(_ seconds: Int64) throws {
        for (name, _) in members { _ = try tell(name, "advance \(seconds * 1000)") }
        server.advance(by: seconds)
    }

    // MARK: - Operations

    private func operate(_ name: String, _ command: String) throws {
        let result = try finish(name, command)
        guard result == "done" else { throw Failure(description: "\(name) \(command): \(result)") }
    }

    /// Begins an operation, and carries bytes between the device and the server until it ends. Returns its
    /// result.
    private func finish(_ name: String, _ command: String) throws -> String {
        guard let key = keys[name], let line = server.connect(key, from: 1) else {
            throw Failure(description: "\(name) can't connect")
        }
        var answer = try tell(name, command)
        var rounds = 0
        while answer.isOpen {
            rounds += 1
            guard rounds < 1_000 else { throw Failure(description: "\(name) \(command) doesn't end") }
            line.deliver(answer.sent)
            try server.runUntilIdle()
            let received = line.takeSent()
            if !received.isEmpty {
                answer = try tell(name, "receive \(hexadecimal(received))")
            } else if line.isClosed {
                break
            } else if answer.sent.isEmpty {
                try advance(1)
                answer = try tell(name, "advance 0")
            } else {
                answer = try tell(name, "receive -")
            }
        }
        server.hangUp(line)
        try server.runUntilIdle()
        return try tell(name, "hangup").result
    }

    /// Syncs the members in turn until they have the same state, and returns it. This takes more than one
    /// round, because devices write by themselves when they return.
    @discardableResult
    private func agree(_ names: [String]) throws -> String {
        for _ in 0..<4 {
            for name in names { try operate(name, "sync") }
            let states = try Set(names.map { try tell($0, "state").result })
            if states.count == 1, let state = states.first { return state }
        }
        throw Failure(description: "\(names) don't agree")
    }
}
