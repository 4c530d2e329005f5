import FocusCore
import FocusServerStore
import FocusSync

extension Batch {
    /// Keeps an invite that a laptop made.
    mutating func createInvite(
        _ request: InviteRequest, to group: GroupID, by maker: Digest, from connection: ConnectionID,
        _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        func refuse(_ code: RefusalCode, _ why: String, retry: Refusal.Retry = .never) {
            let refusal = Refusal(code, why, retry: retry)
            outcomes.append(.refused(request.tokenHash, refusal, to: connection))
        }
        guard request.lifetime >= InviteLimits.leastLifetime else {
            return refuse(.notAllowed, "an invite has to last for a second at least")
        }
        guard try store.invite(request.tokenHash) == nil else {
            return refuse(.notAllowed, "the server has an invite with this token already")
        }
        try store.endExpiredInvites(ofGroup: log.number, now: wall)
        let own = try store.openInvites(madeBy: maker, now: wall)
        guard own < InviteLimits.ofDevice else {
            return refuse(.quota, "this device has too many open invites", retry: .after(60_000))
        }
        guard try own == 0 || store.openInvites(of: log.number, now: wall) < InviteLimits.ofGroup else {
            return refuse(.quota, "the group has too many open invites", retry: .after(60_000))
        }
        let lifetime = min(request.lifetime, InviteLimits.lifetime)
        try store.addInvite(
            request.tokenHash, group: log.number, bundle: request.bundle, expires: wall + Int64(lifetime),
            by: maker)
        outcomes.append(.inviteCreated(request.tokenHash, to: connection))
    }
}
