/// How many invites there may be, and how long they may be used.
package enum InviteLimits {
    /// A group has so many invites open at once. One more is for each device that has none open, so that nobody keeps
    /// the others from inviting.
    package static let ofGroup = 64
    /// A device has so many invites open at once at most.
    package static let ofDevice = 8
    /// The shortest that an invite may be used: 1 second.
    package static let leastLifetime = Duration.seconds(1)
    /// The longest that an invite may be used: 7 days.
    package static let lifetime = Duration.seconds(7 * 86_400)
    /// The hash of an ended invite's token is kept for so long to say that it has ended rather than that there was none:
    /// 30 days. Of a group's invites the last 64 that ended are kept; the schema sees to that.
    static let endedKept = Duration.seconds(30 * 86_400)
}
