package import FocusDevice

/// What `join` is asked for.
package struct JoinRequest: Hashable, Sendable {
    /// Where it finds its invite.
    package var source: InviteSource
    /// What the others will call this laptop; its present name where left out.
    package var name: String?
    /// What becomes of what was recorded alone; nil where the person is to be asked.
    package var choice: AloneHistory.Choice?

    /// What the words of a command ask for.
    package init(_ source: InviteSource, name: String? = nil, choice: AloneHistory.Choice? = nil) {
        self.source = source
        self.name = name
        self.choice = choice
    }
}

/// Where `join` finds its invite.
package enum InviteSource: Hashable, Sendable {
    case argument(String)
    case standardInput
}
