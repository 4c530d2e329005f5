package import FocusSync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a member of a group may try to hold up everybody else with.
package enum Attack: String, CaseIterable, Sendable {
    case duplicates, rosters, invites, epochs, replicas, reconnections, frames, readers, stamps, chains,
        successors, siblings, pings

    /// How much is brought to an attack.
    package struct Scale: Sendable {
        /// Devices of the attacker's, each with `connections` connections.
        package var devices: Int
        package var connections: Int
        /// Full frames of events that the log has before.
        package var rows: Int
        /// The body of an epoch's record, in bytes.
        package var epochBody: Int

        /// As much as the server's settings allow, or little more.
        package static let full = Scale(
            devices: 12, connections: 16, rows: 8, epochBody: Limits.epochBody / 2)
        /// Enough to see what the server does about it.
        package static let small = Scale(devices: 2, connections: 4, rows: 1, epochBody: 64 << 10)
    }

    /// What it is, for people.
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
        switch self {
        case .duplicates: DuplicateAssault(member, seed: seed)
        case .rosters: RosterAssault(member, seed: seed)
        case .invites: InviteAssault(member, seed: seed)
        case .epochs: EpochAssault(member, scale, seed: seed)
        case .replicas: ReplicaAssault(member, reconnectsAfter: nil, seed: seed)
        case .reconnections: ReplicaAssault(member, reconnectsAfter: 200, seed: seed)
        case .frames: FrameAssault(member, scale, loop)
        case .readers: ReaderAssault(member, scale, loop, seed: seed)
        case .stamps: StampAssault(member, seed: seed)
        case .chains: ChainAssault(member, scale, seed: seed)
        case .successors: SuccessorAssault(member, seed: seed)
        case .siblings: SiblingAssault(member, scale, seed: seed)
        case .pings: PingAssault(member: member)
        }
    }
}

/// One way to attack, as a member does it.
protocol Assault: Sendable {
    /// Brings about what the attack needs, which isn't part of it.
    mutating func prepare(within bounds: AttackBounds) throws

    /// Goes on until a connection ends, or the bounds are met.
    ///
    /// - Throws: `AttackEnd`.
    mutating func go(within bounds: AttackBounds) throws

    /// The server ended a connection for this reason: what comes next takes that into account.
    mutating func adapt(to refusal: Refusal)
}

extension Assault {
    mutating func prepare(within bounds: AttackBounds) throws {}
    mutating func adapt(to refusal: Refusal) {}
}

/// An attack by one member, which goes on whatever the server says.
package struct Attacker: Sendable {
    private let loop: AttackLoop
    private var assault: any Assault

    /// What came of it.
    package struct Outcome: Sendable {
        /// How often the server ended a connection, by the code that it gave; nil where it gave none.
        package var ends: [RefusalCode?: Int] = [:]
        /// What it didn't answer.
        package var silences: [String: Int] = [:]

        /// Nothing.
        package init() {}
    }

    /// Makes ready for an attack.
    package init(
        _ attack: Attack, as member: HostileMember, _ scale: Attack.Scale, on loop: AttackLoop, seed: UInt64,
        within bounds: AttackBounds
    ) throws {
        self.loop = loop
        assault = attack.assault(member, scale, loop, seed: seed)
        try assault.prepare(within: bounds)
    }

    /// Attacks until the bounds are met.
    package mutating func attack(within bounds: AttackBounds) throws -> Outcome {
        var outcome = Outcome()
        while !bounds.areMet {
            do {
                try assault.go(within: bounds)
            } catch AttackEnd.bounds {
                break
            } catch AttackEnd.connection(let refusal) {
                outcome.ends[refusal?.code, default: 0] += 1
                if let refusal { assault.adapt(to: refusal) }
            } catch AttackEnd.silence(let what) {
                outcome.silences[what, default: 0] += 1
            }
            // Comes back at once, as whoever means harm does.
            poll(nil, 0, 2)
        }
        return outcome
    }
}
