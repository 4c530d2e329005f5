import Adversary
import Dispatch
import FocusCore
import FocusSeal
import Foundation
import IntegrationSupport
import SQLiteKit
import Synchronization

/// A server with two laptops in one group and a hostile member in another.
struct AttackedWorld {
    let world: World
    let member: HostileMember
    let loop: AttackLoop
    /// An invite for a newcomer to each group, with the name of the laptop to join.
    let invites: [(name: String, invite: String)]

    /// The quota of the attacker's group, in bytes.
    static let quota = 4 << 20
    private static let settings = "bytes-per-group = 4MiB\n"

    var pair: [Laptop] { Array(world.laptops.prefix(2)) }

    static func with(_ body: (AttackedWorld) throws -> Void) throws {
        try World.with { world in
            world.server.metrics = "127.0.0.1:\(try freePort())"
            try world.server.setUp()
            try world.server.set(settings)
            try world.server.start()
            for name in ["work", "home"] { try world.join(name) }
            try world.laptops[0].press("start", "Work")
            try body(AttackedWorld(world))
        }
    }

    private init(_ world: World) throws {
        self.world = world
        let founder = world.laptop("founder")
        try founder.join(world.server.invite())
        invites = [
            ("late", try world.laptops[0].invite()), ("late in the other group", try founder.invite()),
        ]
        let invite = try Invite(founder.invite())
        loop = try AttackLoop()
        member = try HostileDevice(at: AttackedServer(invite), on: loop).enrol(invite, within: .patient)
    }

    // MARK: - Measurements

    /// The sizes of the server's tables.
    func rows() throws -> Rows {
        let database = try Database(path: "\(world.server.data)/focusd.db", access: .readOnly)
        func number(_ query: String) throws -> Int { try database.first(query) { $0[0] } ?? 0 }
        return Rows(
            groupBytes: try number("SELECT coalesce(sum(length(packed)), 0) FROM segments")
                + number("SELECT coalesce(sum(length(packed)), 0) FROM recent")
                + number("SELECT coalesce(sum(length(body)), 0) FROM epochs"),
            devices: try number("SELECT count(*) FROM devices"),
            invites: try number("SELECT count(*) FROM invites"),
            epochs: try number("SELECT count(*) FROM epochs"),
            replicas: try number(
                """
                SELECT count(*) FROM (SELECT group_number, replica FROM segments
                    UNION SELECT group_number, replica FROM recent WHERE count > 0)
                """)
        )
    }

    struct Rows {
        /// The size of the events and epoch records of all groups, in bytes.
        let groupBytes: Int
        let devices: Int
        let invites: Int
        let epochs: Int
        let replicas: Int
    }
}

/// The peak memory of a running program, in bytes.
func peakMemory(of program: RunningProgram?) throws -> Int {
    guard let process = program?.process,
        let line = text(of: "/proc/\(process)/status").split(separator: "\n")
            .first(where: { $0.hasPrefix("VmHWM:") }),
        let size = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { throw Unmet("the program is gone") }
    return size << 10
}

extension AttackBounds {
    /// The bounds for steps that aren't part of the attack: the patience of a test.
    static var patient: AttackBounds { AttackBounds(messages: .max, time: patience) }
}

/// An attack on a thread of its own that lasts until `end()`.
final class RunningAttack: Sendable {
    private let bounds: AttackBounds
    private let outcome = Mutex<Result<Attacker.Outcome, any Error>?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    /// - Parameter most: The greatest number of messages that the attack sends.
    init(_ attacker: Attacker, most: Int) {
        let bounds = AttackBounds(messages: most, time: patience * 2)
        self.bounds = bounds
        Thread.detachNewThread { [self] in
            var attacker = attacker
            let result = Result { try attacker.attack(within: bounds) }
            outcome.withLock { $0 = result }
            isOver.signal()
        }
    }

    /// The number of messages sent so far.
    var sent: Int { bounds.sent }

    /// Whether all messages were sent.
    var isDone: Bool { bounds.areReached }

    /// Ends the attack and waits until it has ended.
    func end() throws {
        bounds.close()
        guard isOver.wait(timeout: .now() + patience.seconds) == .success else {
            throw Unmet("the attack doesn't end")
        }
        // Another call of `end()` returns too.
        isOver.signal()
        _ = try outcome.withLock { try $0?.get() }
    }
}
