import FocusCore
import FocusSync
import SQLiteKit

/// The groups, keys and invites in a server's store, read row by row.
struct Registry {
    /// A key's entry in a group's roster.
    struct Listing: Hashable {
        let isProved: Bool
        let isRevoked: Bool
    }

    struct Invite: Hashable {
        /// The number of the group that it lets a device into. Nil if it is for bringing a group, and no
        /// group was brought with it yet.
        let group: Int64?
        let expires: SharedInstant
        let redeemedBy: Digest?
        let hasEnded: Bool
        let maker: Digest?
        let hasBundle: Bool

        /// Whether the invite can still be used.
        var isOpen: Bool { !hasEnded && redeemedBy == nil }
    }

    /// The existing groups, by their numbers.
    private(set) var groups: [Int64: GroupID] = [:]
    /// The rosters, by the numbers of their groups.
    private(set) var rosters: [Int64: [Digest: Listing]] = [:]
    /// The number of the group in which each key has proved itself.
    private(set) var homes: [Digest: Int64] = [:]
    /// A key that has proved itself in several groups, if there is one.
    private(set) var isTorn: Digest?
    private(set) var invites: [Digest: Invite] = [:]

    init(_ database: borrowing Database) throws {
        try database.forEach("SELECT number, id FROM groups WHERE deleted IS NULL") { row in
            var reader = ByteReader(row[1] as [UInt8])
            groups[row[0]] = GroupID(high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self))
        }
        try database.forEach("SELECT key, group_number, proved, revoked FROM devices") { row in
            let number: Int64 = row[1]
            guard groups[number] != nil, let key = Digest(bytes: row[0]) else { return }
            rosters[number, default: [:]][key] = Listing(isProved: row[2], isRevoked: !row.isNull(3))
            if row[2] as Bool, homes.updateValue(number, forKey: key) != nil { isTorn = key }
        }
        try database.forEach(
            "SELECT token_hash, group_number, expires, redeemed_by, ended, made_by, bundle IS NOT NULL FROM invites"
        ) { row in
            guard let token = Digest(bytes: row[0]) else { return }
            invites[token] = Invite(
                group: row[1], expires: row[2], redeemedBy: row.isNull(3) ? nil : Digest(bytes: row[3]),
                hasEnded: !row.isNull(4), maker: row.isNull(5) ? nil : Digest(bytes: row[5]),
                hasBundle: row[6])
        }
    }

    /// Returns the number of an existing group.
    func number(of group: GroupID) -> Int64? { groups.first { $0.value == group }?.key }

    /// Whether a group's roster lists the key as revoked.
    func isRevoked(_ key: Digest, in number: Int64) -> Bool { rosters[number]?[key]?.isRevoked == true }
}

extension Registry {
    /// The answer to a request to be let in.
    enum Answer: Hashable {
        case enrolled
        case refused(RefusalCode)
        /// The table doesn't say.
        case any
    }

    /// Returns the right answer to a request to be let in, by the list in docs/protocol.md, "Enrolling", in
    /// its order.
    ///
    /// - Parameter now: The server's time; nil if it isn't known.
    func answer(to kind: Enrol.Kind, with token: Digest, by key: Digest, at now: SharedInstant?) -> Answer {
        guard let invite = invites[token] else { return .refused(.tokenInvalid) }
        if let user = invite.redeemedBy, user != key { return .refused(.tokenInvalid) }
        if let number = invite.group, groups[number] == nil { return .any }
        let brought: GroupID? = if case .bring(let group, _) = kind { group } else { nil }
        let place = invite.group ?? brought.flatMap(number(of:))
        if let place, isRevoked(key, in: place) { return .refused(.revoked) }
        if invite.hasEnded { return .refused(.tokenExpired) }
        guard let now, (invite.expires - now).magnitude > .seconds(2) else { return .any }
        if invite.expires < now { return .refused(.tokenExpired) }
        switch (brought, invite.group) {
        case (nil, nil): return .refused(.notAllowed)
        case (let brought?, let number?) where invite.redeemedBy == nil || groups[number] != brought:
            return .refused(.notAllowed)
        default: break
        }
        if let home = homes[key], home != place { return .refused(.notAllowed) }
        if brought != nil, let place, rosters[place]?[key] == nil { return .refused(.notAllowed) }
        return .enrolled
    }
}
