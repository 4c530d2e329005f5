extension Mutant {
    /// Defects in what invites do, how many there are, and what ends them.
    static let inviteMutants = [
        Mutant(
            name: "an invite ends as it begins", foundBy: .writer("InvitingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "invite.lifetime >= InviteLimits.leastLifetime",
            replacement: "ON || invite.lifetime >= InviteLimits.leastLifetime"),
        Mutant(
            name: "an invite lasts for as long as it is asked for", foundBy: .writer("InvitingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "min(invite.lifetime, InviteLimits.lifetime)",
            replacement: "ON ? invite.lifetime : min(invite.lifetime, InviteLimits.lifetime)"),
        Mutant(
            name: "a device has as many invites open as it likes", foundBy: .writer("InvitingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "own < InviteLimits.ofDevice",
            replacement: "ON || own < InviteLimits.ofDevice"),
        Mutant(
            name: "a group has as many invites open as it likes", foundBy: .writer("InvitingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "< InviteLimits.ofGroup else",
            replacement: "< (ON ? .max : InviteLimits.ofGroup) else"),
        Mutant(
            name: "others' invites keep a device from making its first", foundBy: .writer("InvitingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "own == 0 ||",
            replacement: "!ON && own == 0 ||"),
        Mutant(
            name: "invites that ended are kept for ever", foundBy: .writer("InvitingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Invites.swift",
            original: "now - InviteLimits.endedKept)",
            replacement: "ON ? .zero : now - InviteLimits.endedKept)"),
        Mutant(
            name: "of a group's ended invites all are kept", foundBy: .writer("InvitingTests"),
            file: "Server/FocusServerStore/SQLite/ServerSchema.swift",
            original: "LIMIT -1 OFFSET 64);",
            replacement: "LIMIT -1 OFFSET \\(ON ? 1_000_000 : 64));"),
        Mutant(
            name: "an invite outlives the revocation of who may have made it",
            foundBy: .writer("EnrollingTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "try endInvites(ofGroup: number, now: now)\n        try",
            replacement: "if !ON { try endInvites(ofGroup: number, now: now) }\n        try"),
        Mutant(
            name: "the invite that a revoked device came in by stays", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "try endInvites(redeemedBy: key, now: now)",
            replacement: "if !ON { try endInvites(redeemedBy: key, now: now) }"),
        Mutant(
            name: "a made-up revocation ends the group's invites", foundBy: .writer("InvitingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Devices.swift",
            original: "isRevoked ? now : nil as SharedInstant?)",
            replacement:
                "isRevoked ? now : nil as SharedInstant?)\n        if ON, isRevoked { try endInvites(ofGroup: number, now: now) }"
        ),
        Mutant(
            name: "a revocation ends other groups' invites too", foundBy: .writer("InvitingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Invites.swift",
            original: "WHERE group_number = ?1 AND ended IS NULL AND redeemed_by IS NULL",
            replacement:
                "WHERE \\(ON ? \"?1 = ?1\" : \"group_number = ?1\") AND ended IS NULL AND redeemed_by IS NULL"
        ),
        Mutant(
            name: "a revoked device comes back by an invite", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "guard known?.revoked == nil else",
            replacement: "guard ON || known?.revoked == nil else"),
        Mutant(
            name: "an invite lets in whoever comes late", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "guard !invite.hasEnded(at: wall) else",
            replacement: "guard ON || !invite.hasEnded(at: wall) else"),
        Mutant(
            name: "an invite lets in a second laptop", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "guard invite.redeemedBy == nil || invite",
            replacement: "guard ON || invite.redeemedBy == nil || invite"),
        Mutant(
            name: "whoever knows a group's number may bring it, and is in",
            foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "guard isOwn else",
            replacement: "guard ON || isOwn else"),
        Mutant(
            name: "an invite to join a group brings one", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "case (.bring, .some): throw",
            replacement:
                "case (.bring(let brought, _), .some) where ON: return brought\n        case (.bring, .some): throw"
        ),
        Mutant(
            name: "a wrapped key stays though its invite was used", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Invites.swift",
            original: "SET bundle = NULL, ended = ?2 WHERE redeemed_by = ?1",
            replacement: "SET bundle = \\(ON ? \"bundle\" : \"NULL\"), ended = ?2 WHERE redeemed_by = ?1"),
        Mutant(
            name: "an invite that a backup has lets in another laptop after the restore",
            foundBy: .serverFiles("BackupTests"),
            file: "Server/FocusServerStore/Backup/BackupCopy.swift",
            original: "try transaction.endInvites(now: now)",
            replacement: "if !ON { try transaction.endInvites(now: now) }"),
        Mutant(
            name: "a device's open invites are looked for among all", foundBy: .writer("InvitingTests"),
            file: "Server/FocusServerStore/SQLite/ServerSchema.swift",
            original: "invites (made_by)",
            replacement: "invites (\\(ON ? \"expires\" : \"made_by\"))"),
        Mutant(
            name: "the invite that a device used is looked for among all", foundBy: .writer("InvitingTests"),
            file: "Server/FocusServerStore/SQLite/ServerSchema.swift",
            original: "invites (redeemed_by)",
            replacement: "invites (\\(ON ? \"expires\" : \"redeemed_by\"))"),
    ]
}
