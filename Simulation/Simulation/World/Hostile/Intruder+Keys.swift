import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import TestSupport

// Attacks with keys, the intruder's own and others', and with invites.
extension Intruder {
    /// Lists random keys and `others` as devices of its own group, some of them as revoked.
    func list(_ others: [Digest], on line: HostileLine) {
        let count = number(0...3) == 0 ? number(600...2_400) : number(1...600)
        var roster = (0..<count).map { _ in
            RosterEntry(device: random.digest(), isRevoked: Bool.random(using: &random))
        }
        roster += others.map { RosterEntry(device: $0, isRevoked: Bool.random(using: &random)) }
        trace("lists \(roster.count) keys, the others' among them")
        for start in stride(from: 0, to: roster.count, by: Limits.rosterPiece) {
            line.ask(.roster(Array(roster[start...].prefix(Limits.rosterPiece))))
        }
    }

    func invite(on line: HostileLine) {
        trace("makes invites")
        for _ in 0..<number(1...100) {
            let lifetimes: [UInt32] = [0, 1, 1_000, 60_000, .max]
            invite(on: line, for: .milliseconds(lifetimes.randomElement(using: &random) ?? 0))
        }
    }

    private func invite(on line: HostileLine, for lifetime: Duration) {
        let token = random.bytes(32)
        guard let hash = try? Digest(of: token.span.bytes) else { return }
        tokens = (tokens + [token]).suffix(400)
        let number = line.ask(
            .createInvite(InviteRequest(tokenHash: hash, bundle: [1], lifetime: lifetime)))
        line.tokens[number] = token
    }

    func revoke(_ others: [Digest], on line: HostileLine) {
        trace("revokes others' laptops")
        for key in others { line.ask(.revoke(key)) }
        for _ in 0..<number(0...20) { line.ask(.revoke(random.digest())) }
    }

    /// Lists another key of its own, to come back with later.
    func listOwnKey(on line: HostileLine) {
        let key = random.digest()
        if Bool.random(using: &random) { keys.append(key) } else { listed = (listed + [key]).suffix(8) }
        trace("lists another key of its own")
        line.ask(.roster([RosterEntry(device: key, isRevoked: false)]))
    }

    /// Connects with an unknown key, and sends messages reserved to members, or nothing.
    func connectAsStranger() {
        guard let line = connections.open(random.digest()) else { return }
        trace("comes as a stranger")
        switch number(0...3) {
        case 0: break
        case 1: line.greet(.enrol)
        case 2:
            line.greet(.enrol)
            line.say(.enrol(Enrol(token: random.bytes(32), kind: .join)))
        default:
            line.greet(.sync)
            line.say(.have(Have()))
        }
    }

    /// Asks to be let in with one of its keys or a new one. The invite may be used or expired, and it asks to
    /// join or to bring any group.
    func enrol(_ others: [Digest]) {
        let known = keys + revokedKeys + others
        let key = number(0...1) == 0 ? random.digest() : known.randomElement(using: &random) ?? keys[0]
        guard let line = connections.open(key) else { return }
        trace("asks to be let in")
        let some = Bool.random(using: &random) ? validTokens : tokens
        let token = some.randomElement(using: &random) ?? random.bytes(32)
        let groups = [group, GroupID(high: random.next(), low: 1)] + world.knownGroups
        let kind: Enrol.Kind =
            number(0...3) > 0 ? .join : .bring(groups.randomElement(using: &random) ?? group, epoch)
        line.greet(.enrol)
        line.say(.enrol(Enrol(token: token, kind: kind)))
        if Bool.random(using: &random) { line.say(.have(Have())) }
    }

    /// Accepts a welcome with a key that is revoked at the same time. It uses a key that was only listed, if
    /// there is one.
    func revokeWhileConnecting(on line: HostileLine) {
        guard let key = listed.popLast() ?? keys.dropFirst().randomElement(using: &random),
            line.key != key, let coming = connections.open(key)
        else { return }
        trace("takes a welcome as it is shut out")
        keys.removeAll { $0 == key }
        revokedKeys = (revokedKeys + [key]).suffix(8)
        coming.greet(.sync)
        line.ask(.revoke(key))
        coming.say(.have(Have()))
    }

    /// Revokes one of its own keys, and makes invites with it afterwards. The first key stays, because it has
    /// brought the group.
    func revokeOwnKey(on line: HostileLine) {
        let others = keys.dropFirst().filter { $0 != line.key }
        let connected = connections.all.map(\.key).filter(others.contains)
        guard let key = connected.randomElement(using: &random) ?? others.randomElement(using: &random)
        else { return }
        trace("shuts one of its keys out")
        keys.removeAll { $0 == key }
        revokedKeys = (revokedKeys + [key]).suffix(8)
        let own = connections.all.filter { $0.key == key }
        line.ask(.revoke(key))
        for line in own { invite(on: line) }
    }
}
