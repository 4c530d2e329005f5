import FocusCore
import FocusSeal
import FocusSync
import FocusText
import FocusWriter

/// Checks who is let in, listed, revoked and invited, by the rules of docs/protocol.md ("Invites",
/// "Enrolling", "Whose a key is"). It compares the store before and after each of the writer's batches.
struct MembershipCheck {
    /// The request to be let in on each connection, with the device's key.
    private var enrolling: [ConnectionID: (key: Digest, enrol: Enrol)] = [:]
    /// The members that have made requests, by connection.
    private var members: [ConnectionID: (key: Digest, group: GroupID)] = [:]
    /// The groups that each key has accepted a welcome of, which proves that the key belongs to them.
    private var proving: [Digest: Set<GroupID>] = [:]
    /// The requested invites, by the hashes of their tokens.
    private var inviting: [Digest: InviteRequest] = [:]
    /// The keys of the devices that made an invite in this batch.
    private var haveInvited: Set<Digest> = []
    /// Whether a request that may change members or invites was handed in since the last batch.
    private(set) var isDue = false

    // The greatest numbers of a device's open invites, of a group's open invites besides one per device, and
    // of ended invites that a group keeps (docs/protocol.md, "Invites").
    private static let (openOfDevice, openOfGroup, ended) = (8, 64, 64)
    private static let (least, most) = (Duration.seconds(1), Duration.seconds(7 * 86_400))

    mutating func note(_ request: WriterRequest) {
        switch request {
        case .enrol(let enrol, let key, let connection):
            enrolling[connection] = (key, enrol)
            isDue = true
        case .endInvites: isDue = true
        case .prove(let key, let group, _):
            proving[key, default: []].insert(group)
            isDue = true
        case .member(let request):
            members[request.connection] = (request.device, request.group)
            switch request.asked {
            case .group(.createInvite(let invite)):
                inviting[invite.tokenHash] = invite
                isDue = true
            case .group(.revoke), .group(.roster): isDue = true
            case .merge, .group: break
            }
        case .told, .note, .reload, .news, .follow, .unfollow, .forgetGoneServers, .barrier: break
        }
    }

    /// Checks a batch.
    ///
    /// - Parameter now: The server's time when the batch began; nil if it isn't known.
    /// - Returns: The breach, or nil if there is none.
    mutating func note(
        _ outcomes: [WriterOutcome], from before: Registry, to after: Registry, at now: SharedInstant?
    ) -> String? {
        isDue = false
        haveInvited = []
        if let key = after.isTorn { return "\(key) belongs to two groups" }
        var entered: [Digest: GroupID] = [:]
        for outcome in outcomes {
            if let trouble = look(at: outcome, before, after, now, &entered) { return trouble }
        }
        return rosters(before, after, entered) ?? invites(before, after, now)
    }

    private mutating func look(
        at outcome: WriterOutcome, _ before: Registry, _ after: Registry, _ now: SharedInstant?,
        _ entered: inout [Digest: GroupID]
    ) -> String? {
        switch outcome {
        case .enrolled(let enrolled, let connection):
            guard let (key, enrol) = enrolling.removeValue(forKey: connection) else { return nil }
            entered[key] = enrolled.group
            return judge(.enrolled, enrol, key, before, after, now)
        case .ended(let refusal, let connection):
            guard let (key, enrol) = enrolling.removeValue(forKey: connection) else { return nil }
            switch refusal.code {
            // These refusals may have reasons that aren't visible here: no room, or a log that can't be read.
            case .quota, .noRoom, .internal, .rate: return nil
            default: return judge(.refused(refusal.code), enrol, key, before, after, now)
            }
        case .answered(.inviteCreated, let connection), .answered(.wasRevoked, let connection):
            if case .answered(.inviteCreated, _) = outcome, let (key, _) = members[connection] {
                haveInvited.insert(key)
            }
            guard let (key, group) = members[connection], let number = before.number(of: group) else {
                return nil
            }
            let listings = [before, after].compactMap { $0.rosters[number]?[key] }
            if !listings.isEmpty, listings.allSatisfy({ !$0.isProved }) {
                return "\(key) is only listed, and is heard"
            }
            return before.isRevoked(key, in: number) ? "\(key) is revoked, and is heard" : nil
        case .answered(.refused(let subject, let refusal), let connection) where refusal.code == .quota:
            guard inviting[subject] != nil, let (key, _) = members[connection] else { return nil }
            let hasOpen = { (registry: Registry) in
                registry.invites.values.contains { $0.maker == key && $0.isOpen }
            }
            // An invite of this batch may also have ended in it.
            return hasOpen(before) || hasOpen(after) || haveInvited.contains(key)
                ? nil : "\(key) may make no invite, and has none open"
        default: return nil
        }
    }

    private func judge(
        _ answer: Registry.Answer, _ enrol: Enrol, _ key: Digest, _ before: Registry, _ after: Registry,
        _ now: SharedInstant?
    ) -> String? {
        guard let token = try? Digest(of: enrol.token.span.bytes) else { return nil }
        // An invite that was made in this batch may have ended in it.
        guard before.invites[token] != nil || after.invites[token] == nil else { return nil }
        // If the device was let in, only the state before the batch counts, because the device has used the
        // invite since. A refusal may be due to other requests of the batch.
        let states = answer == .enrolled ? [before] : [before, after]
        let rightly = states.map { $0.answer(to: enrol.kind, with: token, by: key, at: now) }
        guard !rightly.contains(answer), !rightly.contains(.any) else { return nil }
        return "\(key) is answered \(answer) to \(enrol.kind), not \(rightly)"
    }

    private mutating func rosters(
        _ before: Registry, _ after: Registry, _ entered: [Digest: GroupID]
    ) -> String? {
        // The least of several breaches is reported, so that a seed always reports the same one.
        var troubles: [String] = []
        for (number, roster) in before.rosters where after.groups[number] != nil {
            for (key, listing) in roster {
                guard let now = after.rosters[number]?[key] else {
                    troubles.append("\(key) is gone from its roster")
                    continue
                }
                if listing.isRevoked, !now.isRevoked { troubles.append("\(key) isn't revoked any more") }
                if listing.isProved, !now.isProved { troubles.append("\(key) belongs nowhere any more") }
            }
        }
        for (number, roster) in after.rosters {
            guard let group = after.groups[number] else { continue }
            for (key, listing) in roster {
                let was = before.rosters[number]?[key]
                guard was != listing else { continue }
                if let home = before.homes[key], home != number, after.groups[home] != nil {
                    troubles.append("\(group) has \(key), which is another's, as \(listing)")
                }
                guard listing.isProved, was?.isProved != true else { continue }
                if was?.isRevoked == true {
                    troubles.append("\(key) is revoked, and belongs to \(group) now")
                }
                let took = proving[key]?.remove(group) != nil
                if entered[key] != group, !took {
                    troubles.append("\(key) belongs to \(group), and was never let in")
                }
            }
        }
        return troubles.min()
    }

    private func invites(_ before: Registry, _ after: Registry, _ now: SharedInstant?) -> String? {
        // The groups that revoked a proved device in this batch; and the groups that perhaps did, because the
        // device may have proved itself in the same batch.
        var (shaken, maybeShaken): (Set<Int64>, Set<Int64>) = ([], [])
        var troubles: [String] = []
        for (number, roster) in after.rosters {
            for (key, listing) in roster where listing.isRevoked && listing.isProved {
                let was = before.rosters[number]?[key]
                guard was?.isRevoked != true else { continue }
                maybeShaken.insert(number)
                if was?.isProved == true { shaken.insert(number) }
                if after.invites.values.contains(where: { $0.redeemedBy == key && !$0.hasEnded }) {
                    troubles.append("\(key) was shut out, and the invite that it used hasn't ended")
                }
            }
        }
        for (token, invite) in before.invites where !invite.hasEnded {
            guard let then = after.invites[token], let number = invite.group else { continue }
            if invite.isOpen, shaken.contains(number), then.isOpen {
                troubles.append("somebody was shut out, and an invite to the group stays open")
            }
            guard then.hasEnded, then.redeemedBy == nil, let now, invite.expires > now + .seconds(2) else {
                continue
            }
            if !maybeShaken.contains(number), after.groups[number] != nil {
                troubles.append("an invite has ended, and nothing has ended it")
            }
        }
        return troubles.min() ?? counts(after) ?? made(before, after, now)
    }

    private func counts(_ after: Registry) -> String? {
        var open: [Int64: [Digest: Int]] = [:]
        var ended: [Int64: Int] = [:]
        var troubles: [String] = []
        for invite in after.invites.values {
            guard let number = invite.group, after.groups[number] != nil else { continue }
            if invite.hasEnded {
                ended[number, default: 0] += 1
                if invite.hasBundle { troubles.append("an invite that has ended keeps its wrapped key") }
            } else if invite.redeemedBy == nil, let maker = invite.maker {
                open[number, default: [:]][maker, default: 0] += 1
            }
        }
        for makers in open.values {
            if let most = makers.values.max(), most > MembershipCheck.openOfDevice {
                troubles.append("a device has \(most) invites open")
            }
            let sum = makers.values.reduce(0, +)
            if sum > MembershipCheck.openOfGroup + makers.count {
                troubles.append("a group has \(sum) invites open")
            }
        }
        if ended.values.contains(where: { $0 > MembershipCheck.ended }) {
            troubles.append("ended invites are kept")
        }
        return troubles.min()
    }

    private func made(_ before: Registry, _ after: Registry, _ now: SharedInstant?) -> String? {
        var troubles: [String] = []
        for (token, invite) in after.invites where before.invites[token] == nil {
            guard let request = inviting[token], let now else { continue }
            let lifetime = request.lifetime
            if lifetime < MembershipCheck.least {
                troubles.append("an invite of \(lifetime.inMilliseconds) ms")
            }
            let wanted = now + min(lifetime, MembershipCheck.most)
            if (invite.expires - wanted).magnitude > .seconds(2) {
                troubles.append(
                    "an invite until \(InstantText.text(invite.expires)), not \(InstantText.text(wanted))")
            }
        }
        return troubles.min()
    }
}
