import FocusCore
import FocusSync
import TestSupport

/// Sends rosters of made-up keys, and revokes other made-up keys. Every second roster lists its keys as
/// revoked.
struct RosterAssault: Assault {
    let member: HostileMember
    var random: SeededGenerator

    mutating func run(within bounds: AttackBounds) throws {
        var areRevoked = false
        try member.flood(within: bounds) { connection in
            let roster = try (0..<Limits.devices).map { _ in
                RosterEntry(device: try random.digest(), isRevoked: areRevoked)
            }
            try connection.sendRoster(roster, within: bounds)
            try connection.sendRequest(.revoke(try random.digest()), within: bounds)
            areRevoked.toggle()
        }
    }
}

/// Makes invites that expire within a minute, so that new ones are allowed soon.
struct InviteAssault: Assault {
    let member: HostileMember
    var random: SeededGenerator
    /// The lifetimes to try in turn, in milliseconds. If the server refuses an invite as malformed, the
    /// shortest lifetime is dropped.
    var lifetimes: [UInt32] = [0, 1, 1_000, 60_000]

    mutating func run(within bounds: AttackBounds) throws {
        let bundle = random.bytes(Limits.bundle)
        var index = 0
        try member.flood(within: bounds) { connection in
            let request = InviteRequest(
                tokenHash: try random.digest(), bundle: bundle,
                lifetime: .milliseconds(lifetimes[index % lifetimes.count]))
            index += 1
            try connection.sendRequest(.createInvite(request), within: bounds)
        }
    }

    mutating func adapt(to refusal: Refusal) {
        if refusal.code == .malformed, lifetimes.count > 1 { lifetimes.removeFirst() }
    }
}

/// Sends pings, each of which the server answers.
struct PingAssault: Assault {
    let member: HostileMember

    func run(within bounds: AttackBounds) throws {
        let ping = Message.ping(sent: .zero).encoded()
        try member.flood(within: bounds) { try $0.send(ping, within: bounds) }
    }
}
