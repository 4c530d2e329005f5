import FocusClient
import FocusCore
import FocusSeal
import FocusServer
import FocusStore
import TestSupport

// Groups: how they come to be, who joins, and who is shut out.
extension World {
    /// Starts everything, and lets each laptop into its group that belongs there from the start.
    func setUp() {
        server.start()
        for laptop in laptops { laptop.start() }
        for group in Set(plan.laptops).sorted() {
            let members = laptops.filter { $0.group == group && !plan.outsiders.contains($0.index) }
            guard let first = members.first else { continue }
            bring(first)
            guard run(until: now + .minutes(2), orUntil: { !first.isOutside && first.errands.isEmpty }) else {
                return require(false, "a group can be brought to a server") { first.name }
            }
            for laptop in members.dropFirst() {
                join(laptop, by: first)
                guard run(until: now + .minutes(2), orUntil: { !laptop.isOutside && laptop.errands.isEmpty })
                else { return require(false, "an invite lets a laptop in") { laptop.name } }
            }
        }
        settle("the beginning")
    }

    /// The operator makes an invite, and the laptop brings its group, or a new one, with it.
    func bring(_ laptop: Laptop) {
        guard let hand = laptop.hand, laptop.errands.isEmpty else { return }
        attempt(laptop) {
            let secret = try makeSecret()
            let invite = try Invite(
                kind: .bringGroup, addresses: ["server"], server: server.key, secret: secret)
            let expires = server.clock.wall() / 1000 + 15 * 60 * 1000
            try server.operate { store in
                try store.addInvite(try secret.token().hash(), group: nil, bundle: nil, expires: expires)
            }
            if try hand.store.group() == nil {
                let bytes = (0..<6).flatMap { _ in withUnsafeBytes(of: random.next().bigEndian) { Array($0) }
                }
                try hand.store.setValue(bytes, for: .plannedGroup)
            }
            run(.join(try Joining(invite, name: nil, hand)), on: laptop, hand)
        }
    }

    /// Another laptop of the group makes an invite, with which the laptop joins.
    ///
    /// - Parameter isKeyWrong: whether it hands out another key than the group's.
    func join(_ laptop: Laptop, by other: Laptop, isKeyWrong: Bool = false) {
        guard let inviter = other.hand, laptop.hand != nil, !other.isOutside, laptop !== other else { return }
        attempt(other) {
            let secret = try makeSecret()
            let errand = Errand(other, inviter, .invite(secret, isKeyWrong: isKeyWrong)) {
                [unowned self] worked in
                guard worked, let hand = laptop.hand, laptop.isAwake else { return }
                attempt(laptop) {
                    let invite = try Invite(
                        kind: .joinGroup, addresses: ["server"], server: server.key, secret: secret)
                    run(.join(try Joining(invite, name: nil, hand)), on: laptop, hand)
                }
            }
            other.errands.append(errand)
            errand.start()
        }
    }

    /// A laptop shuts another one out.
    func revoke(_ laptop: Laptop, by other: Laptop) {
        guard let hand = other.hand, !other.isOutside, laptop.key != other.key else { return }
        let key = laptop.key
        let errand = Errand(other, hand, .revoke(key)) { [unowned self] worked in
            guard worked else { return }
            trace("world", "\(laptop.name) is revoked")
            for laptop in laptops where laptop.key == key {
                laptop.isRevoked = true
                laptop.isShutOut = true
            }
        }
        other.errands.append(errand)
        errand.start()
    }

    private func run(_ task: Errand.Task, on laptop: Laptop, _ hand: Device) {
        let errand = Errand(laptop, hand, task) { worked in
            laptop.trace("errand \(worked ? "done" : "failed")")
            laptop.agent?.reconsider()
        }
        laptop.errands.append(errand)
        errand.start()
    }

    private func attempt(_ laptop: Laptop, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            laptop.trace("can't: \(error)")
            look(at: laptop)
            look(at: server)
        }
    }

    private func makeSecret() throws -> InviteSecret {
        let bytes = (0..<2).flatMap { _ in withUnsafeBytes(of: random.next().bigEndian) { Array($0) } }
        guard let secret = InviteSecret(SecretBytes(bytes)) else {
            throw SealError(.notAnInvite, "a secret has 16 bytes")
        }
        return secret
    }
}
