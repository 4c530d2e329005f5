/// Why an errand came to nothing, and where that leaves this laptop.
package struct ErrandTrouble: Error, Sendable {
    /// Where this laptop is left.
    package enum Standing: Hashable, Sendable {
        /// What was asked for isn't done.
        case undone
        /// What was changed here goes with the next sync.
        case unsynced
        /// The server has no invite.
        case withoutInvite
        /// The laptop is in no group.
        case outside
        /// It is in the group that it was to join, and has yet to sync.
        case inside
        /// It is in the group that it was in, and that has the server that it had.
        case asBefore
        /// What was decided holds here, and the server and the others have yet to hear of it.
        case decidedHere
    }

    /// Why it failed.
    package let failure: ErrandFailure
    /// Where that leaves this laptop.
    package let standing: Standing
    /// What a person should know besides.
    package let notices: [SyncNotice]

    /// A failure after which nothing is done, unless something else is said.
    package init(_ failure: ErrandFailure, _ standing: Standing = .undone, notices: [SyncNotice] = []) {
        self.failure = failure
        self.standing = standing
        self.notices = notices
    }
}
