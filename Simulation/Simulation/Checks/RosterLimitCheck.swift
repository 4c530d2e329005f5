import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks by docs/protocol.md ("Whose a key is") the number of devices in each group's roster, the refusals
/// because of full rosters, and the announcements of changed devices. It compares the store before and after
/// each of the writer's batches.
struct RosterLimitCheck {
    /// The group of each connection that has named its group, and each connection's request to be let in.
    private var groups: [ConnectionID: GroupID] = [:]
    private var enrolling: [ConnectionID: Enrol] = [:]
    /// The hashes of the tokens of requested invites. A refusal names one as its subject if it is about an
    /// invite.
    private var tokens: Set<Digest> = []

    /// The greatest number of groups on the server.
    private let groupsAtMost: Int

    /// The greatest number of proved devices in a roster, and also the greatest number of devices without
    /// proof.
    private static let half = 2_048
    /// The greatest number of devices that may become listed as revoked without having proved themselves.
    private static let quarter = 1_024

    init(_ limits: ServerLimits) { groupsAtMost = limits.groups }

    mutating func note(_ request: WriterRequest) {
        switch request {
        case .enrol(let enrol, _, let connection): enrolling[connection] = enrol
        case .prove(_, let group, let connection): groups[connection] = group
        case .member(let request):
            groups[request.connection] = request.group
            if case .group(.createInvite(let invite)) = request.asked { tokens.insert(invite.tokenHash) }
        case .endInvites, .told, .note, .reload, .news, .follow, .unfollow, .forgetGoneServers, .barrier:
            break
        }
    }

    /// Checks a batch.
    ///
    /// - Parameter limits: The greatest number of devices that aren't revoked, for each group that existed
    ///   before.
    /// - Returns: The breach, or nil if there is none.
    mutating func note(
        _ outcomes: [WriterOutcome], from before: Registry, to after: Registry, limits: [GroupID: Int]
    ) -> String? {
        // The least of several is reported, so that a seed always reports the same one.
        var troubles: [String] = []
        let told = RosterLimitCheck.told(outcomes)
        let hasNew = after.groups.keys.contains { before.groups[$0] == nil }
        if hasNew, after.groups.count > groupsAtMost { troubles.append("\(after.groups.count) groups") }
        for (number, roster) in after.rosters {
            guard let group = after.groups[number] else { continue }
            let was = before.rosters[number] ?? [:]
            let changed = roster.filter { was[$0.key] != $0.value }
            for (key, listing) in changed where told[group]?[key] != listing {
                troubles.append("\(key) is \(listing) in \(group), and that isn't told")
            }
            guard let limit = limits[group] else { continue }
            for isProved in [true, false] {
                let kind = roster.values.filter { $0.isProved == isProved }
                let isNew = changed.contains {
                    $1.isProved == isProved && was[$0]?.isProved != isProved && !$1.isRevoked
                }
                let count = kind.count { !$0.isRevoked }
                if isNew, count > limit {
                    troubles.append("\(group) has \(count) devices, proved: \(isProved)")
                }
                let hasGrown = changed.contains { $1.isProved == isProved && was[$0]?.isProved != isProved }
                if hasGrown, kind.count > RosterLimitCheck.half {
                    troubles.append("\(group) has \(kind.count) devices")
                }
            }
        }
        return troubles.min() ?? refusals(outcomes, before, after, limits)
    }

    /// Returns the last announced listing of each device.
    private static func told(_ outcomes: [WriterOutcome]) -> [GroupID: [Digest: Registry.Listing]] {
        var told: [GroupID: [Digest: Registry.Listing]] = [:]
        for case .device(let device) in outcomes {
            told[device.group, default: [:]][device.key] = Registry.Listing(
                isProved: device.isProved, isRevoked: device.revoked != nil)
        }
        return told
    }

    /// Checks the refusals for lack of room.
    private mutating func refusals(
        _ outcomes: [WriterOutcome], _ before: Registry, _ after: Registry, _ limits: [GroupID: Int]
    ) -> String? {
        for outcome in outcomes {
            let group: GroupID?
            let isProved: Bool
            switch outcome {
            case .enrolled(_, let connection):
                enrolling[connection] = nil
                continue
            case .ended(let refusal, let connection):
                let enrol = enrolling.removeValue(forKey: connection)
                guard refusal.code == .quota else { continue }
                if case .bring(let brought, _)? = enrol?.kind, before.number(of: brought) == nil {
                    guard max(before.groups.count, after.groups.count) < groupsAtMost else { continue }
                    return "\(brought) isn't taken beside \(before.groups.count) groups"
                }
                (group, isProved) = (enrol.map { place(of: $0, after) } ?? groups[connection], true)
            case .answered(.refused(let subject, let refusal), let connection) where refusal.code == .quota:
                guard !tokens.contains(subject) else { continue }
                (group, isProved) = (groups[connection], false)
            default: continue
            }
            guard let group, let limit = limits[group], let number = before.number(of: group) else {
                continue
            }
            let peak = peak(before.rosters[number] ?? [:], after.rosters[number] ?? [:], isProved: isProved)
            if peak.present < limit, peak.all < RosterLimitCheck.half,
                isProved || peak.revoked < RosterLimitCheck.quarter
            {
                return "\(group) takes no device, proved: \(isProved), beside \(peak.present) of \(limit)"
            }
        }
        return nil
    }

    /// Returns the group that a device asks to be let into; nil if that group doesn't exist.
    private func place(of enrol: Enrol, _ registry: Registry) -> GroupID? {
        guard let token = try? Digest(of: enrol.token.span.bytes), let invite = registry.invites[token] else {
            return nil
        }
        if let number = invite.group { return registry.groups[number] }
        if case .bring(let group, _) = enrol.kind { return group }
        return nil
    }

    /// Returns upper bounds of the numbers of devices at any time in the batch: not revoked, revoked, and
    /// all.
    private func peak(
        _ before: [Digest: Registry.Listing], _ after: [Digest: Registry.Listing], isProved: Bool
    ) -> (present: Int, revoked: Int, all: Int) {
        let was = before.filter { $1.isProved == isProved }
        // A new device may have been listed before it proved itself.
        let came = after.count { key, listing in
            isProved ? listing.isProved && was[key] == nil : before[key] == nil
        }
        // A device that was there may have been revoked during the batch.
        let revoked = was.count { $1.isRevoked || after[$0]?.isRevoked == true }
        return (was.values.count { !$0.isRevoked } + came, revoked + came, was.count + came)
    }
}
