import FocusCore
import FocusServerStore
import FocusSync

extension Batch {
    /// Keeps an invite that a laptop made.
    mutating func createInvite(
        _ invite: InviteRequest, _ request: MemberRequest, _ transaction: any ServerTransaction
    ) throws {
        guard let log = logs[request.group] else { return }
        func refuse(_ code: RefusalCode, _ why: String, retry: Refusal.Retry = .never) {
            let refusal = Refusal(code, why, retry: retry)
            answer(.refused(invite.tokenHash, refusal), to: request)
        }
        guard invite.lifetime >= InviteLimits.leastLifetime else {
            return refuse(.notAllowed, "an invite has to last for a second at least")
        }
        guard try transaction.invite(invite.tokenHash) == nil else {
            return refuse(.notAllowed, "the server has an invite with this token already")
        }
        try transaction.endExpiredInvites(ofGroup: log.number, now: wall)
        let own = try transaction.openInvites(madeBy: request.device, now: wall)
        guard own < InviteLimits.ofDevice else {
            return refuse(.quota, "this device has too many open invites", retry: .after(.seconds(60)))
        }
        guard try own == 0 || transaction.openInvites(of: log.number, now: wall) < InviteLimits.ofGroup else {
            return refuse(.quota, "the group has too many open invites", retry: .after(.seconds(60)))
        }
        let lifetime = min(invite.lifetime, InviteLimits.lifetime)
        try transaction.addInvite(
            invite.tokenHash, group: log.number, bundle: invite.bundle,
            expires: wall + lifetime,
            by: request.device)
        answer(.inviteCreated(invite.tokenHash), to: request)
    }
}
