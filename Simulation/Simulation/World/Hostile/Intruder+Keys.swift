import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import TestSupport

// Attacks with keys, the intruder's own and others', and with invites.
extension Intruder {
    func list(_ others: [Digest], on line: HostileLine) {
        let count = number(0...3) == 0 ? number(600...2_400) : number(1...600)
        var roster = (0..<count).map { _ in
            RosterEntry(device: digest(), isRevoked: Bool.random(using: &random))
        }
        roster += others.map { RosterEntry(device: $0, isRevoked: Bool.random(using: &random)) }
        trace("lists \(roster.count) keys, the others' among them")
        line.say(.roster(roster))
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
        line.say(.createInvite(InviteRequest(tokenHash: hash, bundle: [1], lifetime: lifetime)))
    }

    /// Makes invites with the shortest lifetime again and again, as many at once as a device may have open.
    func inviteBriefly(on line: HostileLine) {
        trace("makes invites that end at once, again and again")
        let pause = Int64.random(in: 1_010_000...1_400_000, using: &random)
        for round in 0..<Int64(number(4...14)) {
            connections.later(after: round * pause, on: line) { [unowned self] _ in
                for _ in 0..<number(1...10) { invite(on: line, for: .seconds(1)) }
            }
        }
    }

    /// Lets more keys in, each from another address. Each of them makes as many invites as it may, with a
    /// long lifetime.
    func recruit() {
        trace("has more and more keys, which make invites that last")
        let count = number(4...9)
        for line in connections.all.filter({ $0.takes && !$0.isSpoilt && keys.contains($0.key) }).prefix(3) {
            for _ in 0..<count { invite(on: line, for: .seconds(900)) }
        }
        world.later(.seconds(1)) { [unowned self] in
            for (place, token) in made.suffix(16).enumerated() {
                recruit(place, with: token, inviting: count)
            }
        }
    }

    private func recruit(_ place: Int, with token: [UInt8], inviting count: Int) {
        guard let line = connections.open(digest(), from: UInt8(140 + place), inCrowd: true) else { return }
        line.greet(.enrol)
        line.say(.enrol(Enrol(token: token, kind: .join)))
        connections.later(after: .seconds(1), on: line) { [unowned self] _ in
            for _ in 0..<count { invite(on: line, for: .seconds(900)) }
        }
    }

    func revoke(_ others: [Digest], on line: HostileLine) {
        trace("revokes others' laptops")
        for key in others { line.say(.revoke(key)) }
        for _ in 0..<number(0...20) { line.say(.revoke(digest())) }
    }

    /// Lists another key of its own, to come back with later.
    func sleep(on line: HostileLine) {
        let key = digest()
        if Bool.random(using: &random) { keys.append(key) } else { asleep = (asleep + [key]).suffix(8) }
        trace("lists another key of its own")
        line.say(.roster([RosterEntry(device: key, isRevoked: false)]))
    }

    /// Connects with an unknown key from another address, and sends messages reserved to members, or nothing.
    func comesAsStranger() {
        guard let line = connections.open(digest(), from: 67) else { return }
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
    func enrol() {
        let known = keys + shutOut + others.map(\.key)
        let key = number(0...1) == 0 ? digest() : known.randomElement(using: &random) ?? keys[0]
        guard let line = connections.open(key, from: 68) else { return }
        trace("asks to be let in")
        let some = Bool.random(using: &random) ? made : tokens
        let token = some.randomElement(using: &random) ?? random.bytes(32)
        let groups = [group, GroupID(high: random.next(), low: 1)] + world.knownGroups
        let kind: Enrol.Kind =
            number(0...3) > 0 ? .join : .bring(groups.randomElement(using: &random) ?? group, epoch)
        line.greet(.enrol)
        line.say(.enrol(Enrol(token: token, kind: kind)))
        if Bool.random(using: &random) { line.say(.have(Have())) }
    }

    /// Asks to be let in with many unknown keys, and with some that belong to other groups.
    func enrolMany() {
        trace("asks to be let in with many keys")
        for token in made.suffix(number(1...20)) {
            let other = number(0...7) == 0 ? others.randomElement(using: &random)?.key : nil
            guard let line = connections.open(other ?? digest(), from: 68) else { return }
            line.greet(.enrol)
            line.say(.enrol(Enrol(token: token, kind: .join)))
        }
    }

    /// Makes as many invites as all of its keys may make.
    func inviteWithAll() {
        for key in keys.shuffled(using: &random).prefix(12) {
            let line = connections.all.first { $0.takes && $0.key == key } ?? connect(key)
            if let line { invite(on: line) }
        }
    }

    /// Brings another group. It has few of them while the server isn't full, so that the honest groups find
    /// room.
    func bringAnother() {
        let own = others.count { server.number(of: $0.group) != nil }
        let isFull = server.groupCount >= server.limits.groups && !world.plan.hasForgetfulServer
        guard !hasBrought, own < Intruder.otherGroups || isFull,
            let line = connections.open(digest(), from: 69)
        else { return }
        trace("brings another group")
        hasBrought = true
        let other = GroupID(high: random.next(), low: random.next())
        others = (others + [(other, line.key)]).suffix(6)
        line.greet(.enrol)
        line.say(.enrol(Enrol(token: allowance(), kind: .bring(other, epoch))))
    }

    /// Accepts a welcome with a key that is revoked at the same time. It uses a key that was only listed, if
    /// there is one.
    func isShutOutAsItComes(on line: HostileLine) {
        guard let key = asleep.popLast() ?? keys.dropFirst().randomElement(using: &random),
            line.key != key, let coming = connections.open(key)
        else { return }
        trace("takes a welcome as it is shut out")
        keys.removeAll { $0 == key }
        shutOut = (shutOut + [key]).suffix(8)
        coming.greet(.sync)
        line.say(.revoke(key))
        coming.say(.have(Have()))
    }

    /// Revokes one of its own keys, and goes on with it.
    func shutOneOut(on line: HostileLine) {
        let others = keys.dropFirst().filter { $0 != line.key }
        let connected = connections.all.map(\.key).filter(others.contains)
        guard let key = connected.randomElement(using: &random) ?? others.randomElement(using: &random)
        else { return }
        trace("shuts one of its keys out")
        keys.removeAll { $0 == key }
        shutOut = (shutOut + [key]).suffix(8)
        let own = connections.all.filter { $0.key == key }
        line.say(.revoke(key))
        for line in own { invite(on: line) }
    }
}
