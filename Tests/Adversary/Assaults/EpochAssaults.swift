import FocusCore
import FocusSync
import TestSupport

/// Names `batch` epochs without records, and then sends a record for each and for new ones.
struct EpochAssault: Assault {
    let member: HostileMember
    /// The length of a record's body, in bytes.
    let body: Int
    var random: SeededGenerator
    /// The epochs that were named and have no record yet.
    var named: [EpochID] = []
    /// The number of epochs that are named before the first record is sent.
    private static let batch = 900

    mutating func prepare(within bounds: AttackBounds) throws {
        named = (0..<EpochAssault.batch).map { _ in EpochID(rawValue: random.next()) }
        try member.withConnection(within: bounds) { connection, _ in
            for epoch in named {
                try connection.sendRequest(.epoch(EpochRecord(naming: epoch)), within: bounds)
            }
            try connection.waitUntilHandled(revoking: random.digest(), within: bounds)
        }
    }

    mutating func run(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            let epoch = named.popLast() ?? EpochID(rawValue: random.next())
            let record = EpochRecord(
                epoch: epoch, predecessor: member.epoch, body: random.bytes(body))
            try connection.sendRequest(.epoch(record), within: bounds)
        }
    }
}

/// Sends successor epochs with unreadable records. Each discounts the ones before it.
struct SuccessorAssault: Assault {
    let member: HostileMember
    var random: SeededGenerator
    var predecessor: EpochID
    /// The successors of `predecessor` that were sent.
    var garbage: [EpochID] = []
    /// The length of a record's body, in bytes: enough for several devices.
    private static let body = 16 << 10

    mutating func run(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            if garbage.count == Limits.discounted, let last = garbage.last {
                predecessor = last
                garbage = []
            }
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()), predecessor: predecessor,
                body: random.bytes(SuccessorAssault.body))
            try connection.sendRequest(.successor(record, discounting: garbage.sorted()), within: bounds)
            garbage.append(record.epoch)
        }
    }
}

/// Makes long records that follow one epoch. Then asks for one more again and again, and each time the server
/// answers with all of them.
struct SiblingAssault: Assault {
    let member: HostileMember
    /// The length of a record's body, in bytes.
    let body: Int
    var random: SeededGenerator
    /// The number of long records that are made before the attack.
    private static let records = 48

    mutating func prepare(within bounds: AttackBounds) throws {
        try member.withConnection(within: bounds) { connection, _ in
            for _ in 0..<SiblingAssault.records {
                let record = EpochRecord(
                    epoch: EpochID(rawValue: random.next()), predecessor: member.epoch,
                    body: random.bytes(body))
                try connection.sendRequest(.epoch(record), within: bounds)
            }
            try connection.waitUntilHandled(revoking: random.digest(), within: bounds)
        }
    }

    mutating func run(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()), predecessor: member.epoch, body: [1])
            try connection.sendRequest(.successor(record, discounting: []), within: bounds)
        }
    }
}
