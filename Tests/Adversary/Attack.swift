package import FocusSync
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The ways in which a member of a group may try to slow down everybody else.
package enum Attack: String, CaseIterable, Sendable {
    case duplicates, rosters, invites, epochs, replicas, reconnections, frames, readers, stamps, chains,
        successors, siblings, pings

    /// The size of an attack.
    package struct Scale: Sendable {
        /// The number of the attacker's devices, each with `connections` connections.
        package var devices: Int
        package var connections: Int
        /// The number of full segments that the log has before the attack.
        package var rows: Int
        /// The length of an epoch record's body, in bytes.
        package var epochBody: Int

        /// As much as the server's settings allow, or a little more.
        package static let full = Scale(
            devices: 12, connections: 16, rows: 8, epochBody: Limits.epochBody / 2)
        /// Just enough to see how the server reacts.
        package static let small = Scale(devices: 2, connections: 4, rows: 1, epochBody: 64 << 10)
    }

    /// The attack's name in a report.
    package var description: String {
        switch self {
        case .duplicates: "duplicates below the head"
        case .rosters: "rosters of unknown keys"
        case .invites: "invites that end at once"
        case .epochs: "epoch records, named first and filled later"
        case .replicas: "one-event replicas"
        case .reconnections: "one-event replicas, with reconnections to a group that lists 2,000 keys"
        case .frames: "almost whole frames on all its connections"
        case .readers: "readers that ask for all and take nothing"
        case .stamps: "stamps 119 s ahead, again and again"
        case .chains: "questions about chains"
        case .successors: "successors of garbage"
        case .siblings: "successors beside long records, which it is told"
        case .pings: "pings without end"
        }
    }

    func assault(_ member: HostileMember, _ scale: Scale, _ loop: AttackLoop, seed: UInt64) -> any Assault {
        let random = SeededGenerator(seed: seed)
        return switch self {
        case .duplicates: DuplicateAssault(member: member, seed: seed)
        case .rosters: RosterAssault(member: member, random: random)
        case .invites: InviteAssault(member: member, random: random)
        case .epochs: EpochAssault(member: member, body: scale.epochBody, random: random)
        case .replicas: ReplicaAssault(member: member, reconnectsAfter: nil, random: random)
        case .reconnections: ReplicaAssault(member: member, reconnectsAfter: 200, random: random)
        case .frames: FrameAssault(devices: [member], scale: scale, loop: loop)
        case .readers:
            ReaderAssault(
                devices: [member], scale: scale, loop: loop, filler: LogFiller(member: member, random: random)
            )
        case .stamps: StampAssault(member: member, random: random)
        case .chains:
            ChainAssault(
                member: member, rows: scale.rows, filler: LogFiller(member: member, random: random),
                random: random)
        case .successors: SuccessorAssault(member: member, random: random, predecessor: member.epoch)
        case .siblings: SiblingAssault(member: member, body: scale.epochBody, random: random)
        case .pings: PingAssault(member: member)
        }
    }
}

/// One kind of attack by a member.
protocol Assault: Sendable {
    /// Prepares what the attack needs; this isn't part of the attack.
    mutating func prepare(within bounds: AttackBounds) throws

    /// Attacks until a connection ends or the bounds are met.
    ///
    /// - Throws: `AttackEnd` with the reason for the end.
    mutating func run(within bounds: AttackBounds) throws

    /// Takes into account that the server ended a connection with `refusal`.
    mutating func adapt(to refusal: Refusal)
}

extension Assault {
    mutating func prepare(within bounds: AttackBounds) throws {}
    mutating func adapt(to refusal: Refusal) {}
}

/// Runs one attack of one member until the bounds are met, and ignores refusals.
package struct Attacker: Sendable {
    private let loop: AttackLoop
    private var assault: any Assault

    /// The result of an attack.
    package struct Outcome: Sendable {
        /// The number of connections that the server ended, by the refusal's code; nil if it gave none.
        package var ends: [RefusalCode?: Int] = [:]
        /// The number of times that an expected answer didn't come, by the answer's description.
        package var silences: [String: Int] = [:]

        /// An outcome without any ends and silences.
        package init() {}
    }

    /// Creates the attack and prepares what it needs.
    package init(
        _ attack: Attack, as member: HostileMember, _ scale: Attack.Scale, on loop: AttackLoop, seed: UInt64,
        within bounds: AttackBounds
    ) throws {
        self.loop = loop
        assault = attack.assault(member, scale, loop, seed: seed)
        try assault.prepare(within: bounds)
    }

    /// Attacks until the bounds are met, and reconnects at once each time the server ends a connection.
    package mutating func attack(within bounds: AttackBounds) throws -> Outcome {
        var outcome = Outcome()
        while !bounds.areReached {
            do {
                try assault.run(within: bounds)
            } catch AttackEnd.bounds {
                break
            } catch AttackEnd.connection(let refusal) {
                outcome.ends[refusal?.code, default: 0] += 1
                if let refusal { assault.adapt(to: refusal) }
            } catch AttackEnd.silence(let what) {
                outcome.silences[what, default: 0] += 1
            }
            // Waits only 2 ms before it reconnects, as a malicious client would.
            poll(nil, 0, 2)
        }
        return outcome
    }
}
