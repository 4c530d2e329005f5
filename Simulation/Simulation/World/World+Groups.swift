import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusServerStore
import FocusStore
import TestSupport

// Founding groups, joining them, and revoking members.
extension World {
    /// Starts all machines. Each laptop then joins its group, except for the plan's outsiders.
    func setUp() {
        for server in servers { server.start() }
        for laptop in laptops { laptop.start() }
        for _ in 0..<plan.soloPresses {
            for laptop in laptops { laptop.press(seed: random.next()) }
            run(until: now + Int64.random(in: 0...60_000_000, using: &random))
        }
        for group in Set(plan.laptops).sorted() {
            let members = laptops.filter { $0.group == group && !plan.outsiders.contains($0.index) }
            guard let first = members.first else { continue }
            bringGroup(by: first)
            guard run(until: now + .minutes(2), orUntil: { !first.isOutside && first.operations.isEmpty })
            else {
                return require(false, "a group can be brought to a server") { first.name }
            }
            for laptop in members.dropFirst() {
                join(laptop, by: first, plan.recordLeavers.contains(laptop.index) ? .leaveBehind : .takeAlong)
                guard
                    run(until: now + .minutes(2), orUntil: { !laptop.isOutside && laptop.operations.isEmpty })
                else { return require(false, "an invite lets a laptop in") { laptop.name } }
            }
            guard let traitor, traitor.number == group else { continue }
            inviteTraitor(by: first)
            guard run(until: now + .minutes(2), orUntil: { traitor.isMember }) else {
                return require(false, "an invite lets anybody in who has it") { "the traitor" }
            }
        }
        runCalm("the beginning")
    }

    /// Makes an operator's invite, and lets the laptop bring its group to the server with it. A laptop in no
    /// group brings a new one.
    func bringGroup(by laptop: Laptop) {
        guard let device = laptop.device, laptop.operations.isEmpty else { return }
        attempt(laptop) {
            let secret = try makeSecret()
            let invite = try Invite(
                kind: .bringGroup, addresses: [ServerMachine.host],
                server: ServerPin(server.key, next: server.nextKey), secret: secret)
            let expires = server.clock.shared + .seconds(15 * 60)
            try server.operate { store in
                try store.addInvite(
                    try secret.token().hash(), group: nil, bundle: nil, expires: expires, by: nil)
            }
            if try device.store.group() == nil {
                try device.store.setValue(words(6), for: .plannedGroup)
            }
            laptop.run(.join(invite, name: nil, .takeAlong)) { [unowned self, unowned laptop] in
                handle($0, joining: laptop)
            }
        }
    }

    /// Lets the laptop join another laptop's group, by an invite that the other laptop makes.
    func join(_ laptop: Laptop, by other: Laptop, _ choice: SoloHistory.Choice) {
        guard laptop.device != nil, laptop !== other, !other.hasWrongKey else { return }
        invite(by: other) { [unowned self, unowned laptop] invite in
            laptop.run(.join(invite, name: nil, choice)) { [unowned self, unowned laptop] in
                handle($0, joining: laptop)
            }
        }
    }

    /// Lets a laptop make an invite to its group.
    ///
    /// - Parameter done: Called with the invite if it was made.
    func invite(by laptop: Laptop, done: @escaping (Invite) -> Void) {
        guard !laptop.isOutside else { return }
        if let browser = laptop.browser { return browser.invite(done) }
        attempt(laptop) {
            let secret = try makeSecret()
            laptop.run(.invite(secret)) { [unowned self, unowned laptop] result in
                guard case .success = result, let device = laptop.device else { return }
                attempt(laptop) {
                    if let invite = try Membership(device)?.invite(secret) { done(invite) }
                }
            }
        }
    }

    /// Lets the laptop join another laptop's group by an invite with a wrong key in place of the group's.
    func joinWithWrongKey(_ laptop: Laptop, of other: Laptop) {
        guard let inviter = other.device, laptop.device != nil else { return }
        attempt(other) {
            guard let membership = try Membership(inviter), let epoch = try inviter.store.epochs().last,
                let number = server.number(of: membership.group)
            else { return }
            let secret = try makeSecret()
            let key = try EpochKey(SecretBytes(Array(epoch.key.reversed())))
            wrongKeys.insert(key.epoch)
            let bundle = try secret.wrap(GroupBundle(group: membership.group, key: key))
            let expires = server.clock.shared + .seconds(15 * 60)
            try server.operate { store in
                // The operator may have deleted the group since the server looked.
                guard try store.number(of: membership.group) == number else { return }
                try store.addInvite(
                    try secret.token().hash(), group: number, bundle: bundle, expires: expires, by: nil)
            }
            laptop.run(.join(try membership.invite(secret), name: nil, .takeAlong))
        }
    }

    /// Lets another laptop revoke this one, if this one is in the other's list of devices.
    func revoke(_ laptop: Laptop, by other: Laptop) {
        guard let device = other.device, !other.isOutside, laptop.key != other.key else { return }
        let key = laptop.key
        intendedRevocations.insert(key)
        attempt(other) {
            let entries = try DeviceList(device).entries
            guard entries.contains(where: { $0.key == key }) else { return }
            try other.revoke([key])
            // The revocation holds from here on, whether the server has heard of it or not.
            if try device.store.state().rulings[key]?.isRevoked == true { noteRevoked(key) }
        }
    }

    /// Revokes a laptop at the server, if the server knows it.
    func revokeAtServer(_ laptop: Laptop) {
        intendedRevocations.insert(laptop.key)
        attempt(laptop) {
            var isDone = false
            try server.operate { store in
                isDone = try store.revokeEverywhere(laptop.key, now: server.clock.shared)
            }
            if isDone { noteRevoked(laptop.key) }
        }
    }

    /// Readmits about half of the revoked laptops, only by rulings in the log. At servers their keys stay
    /// revoked.
    func readmitSomeLaptops() {
        for laptop in laptops where laptop.wasRevoked && laptop.key.bytes[0].isMultiple(of: 2) {
            let other = laptops.first {
                $0.group == laptop.group && $0.isConnected && !$0.isRevoked && $0.browser == nil
            }
            guard let other, let device = other.device else { continue }
            attempt(other) {
                guard try other.knowsRevoked(laptop.key) else { return }
                other.trace("takes \(laptop.name) back")
                try device.readmit(laptop.key)
                if let operation = other.passOn(device) {
                    other.run(operation, within: GroupOperation.pressPatience)
                }
            }
        }
    }

    /// Whether a key counts as revoked in its group.
    func isRevoked(_ key: Digest) -> Bool { refusedKeys.contains(key) || revokedKeys.contains(key) }

    /// Records that a key was revoked, or has left.
    func noteRevoked(_ key: Digest) {
        revokedKeys.insert(key)
        for laptop in laptops where laptop.key == key { trace("world", "\(laptop.name) is revoked") }
    }

    func attempt(_ laptop: Laptop, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            laptop.trace("can't: \(error)")
            restartIfStopped(laptop)
            restartIfStopped(server)
        }
    }

    func makeSecret() throws -> InviteSecret {
        guard let secret = InviteSecret(SecretBytes(words(2))) else {
            throw SealError(.notAnInvite, "a secret has 16 bytes")
        }
        return secret
    }
}
