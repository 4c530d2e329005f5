import FocusCore
import FocusSync
import TestSupport

/// Names epochs while there is room for them, and then fills each.
struct EpochAssault: Assault {
    private let member: HostileMember
    private let body: Int
    private var random: SeededGenerator
    /// Those that were named and not filled.
    private var named: [EpochID] = []
    /// How many are named before the first is filled.
    private static let batch = 900

    init(_ member: HostileMember, _ scale: Attack.Scale, seed: UInt64) {
        self.member = member
        body = scale.epochBody
        random = SeededGenerator(seed: seed)
    }

    mutating func prepare(within bounds: AttackBounds) throws {
        named = (0..<EpochAssault.batch).map { _ in EpochID(rawValue: random.next()) }
        try member.visit(within: bounds) { connection, _ in
            for epoch in named {
                try connection.say(
                    .epoch(EpochRecord(naming: epoch)), within: bounds)
            }
            try connection.settle(asking: random.digest(), within: bounds)
        }
    }

    mutating func go(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            let epoch = named.popLast() ?? EpochID(rawValue: random.next())
            let record = EpochRecord(
                epoch: epoch, predecessor: member.epoch, body: random.bytes(body))
            try connection.say(.epoch(record), within: bounds)
        }
    }
}

/// Lets epochs follow each other whose records nobody can open, each in place of those before it.
struct SuccessorAssault: Assault {
    private let member: HostileMember
    private var random: SeededGenerator
    private var predecessor: EpochID
    private var garbage: [EpochID] = []
    /// Long enough to be a record of some devices, in bytes.
    private static let body = 16 << 10

    init(_ member: HostileMember, seed: UInt64) {
        self.member = member
        predecessor = member.epoch
        random = SeededGenerator(seed: seed)
    }

    mutating func go(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            if garbage.count == Limits.discounted, let last = garbage.last {
                predecessor = last
                garbage = []
            }
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()), predecessor: predecessor,
                body: random.bytes(SuccessorAssault.body))
            try connection.say(.successor(record, discounting: garbage.sorted()), within: bounds)
            garbage.append(record.epoch)
        }
    }
}

/// Makes long records that follow one epoch, and then asks again and again for one more, which it is answered with all of
/// those.
struct SiblingAssault: Assault {
    private let member: HostileMember
    private let body: Int
    private var random: SeededGenerator
    /// How many long records are there before it asks for more.
    private static let records = 48

    init(_ member: HostileMember, _ scale: Attack.Scale, seed: UInt64) {
        self.member = member
        body = scale.epochBody
        random = SeededGenerator(seed: seed)
    }

    mutating func prepare(within bounds: AttackBounds) throws {
        try member.visit(within: bounds) { connection, _ in
            for _ in 0..<SiblingAssault.records {
                let record = EpochRecord(
                    epoch: EpochID(rawValue: random.next()), predecessor: member.epoch,
                    body: random.bytes(body))
                try connection.say(.epoch(record), within: bounds)
            }
            try connection.settle(asking: random.digest(), within: bounds)
        }
    }

    mutating func go(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()), predecessor: member.epoch, body: [1])
            try connection.say(.successor(record, discounting: []), within: bounds)
        }
    }
}
