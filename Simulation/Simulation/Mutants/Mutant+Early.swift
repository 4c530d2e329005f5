extension Mutant {
    /// The mutants that one of the first six worlds of three minutes found when they were last tried: continuous
    /// integration tries two of them in four times as many, the next ones with each commit. `simulate --early` tries all
    /// of them, as has to be done where what worlds do has changed.
    package static let early: Set<String> = [
        "a reading of the clock forgets half of the way",
        "an agent that nobody tells of a press doesn't notice",
        "an agent gives up where the connection broke",
        "what is merged while replay rests is never shown",
        "what was recorded alone stays behind",
        "a checkpoint isn't dropped for a late event",
        "an undo doesn't reach back to what it takes back",
        "the history keeps what a late event has made untrue",
        "events of one stamp are ordered by when they came",
        "a press is stamped without a look at what was merged",
        "what comes from the server is merged, but not replayed over what was shown",
        "the server goes on producing for a laptop that takes nothing",
        "the version vector is one too far",
        "what a slow connection missed is never read for it",
        "uploads are acknowledged before they are on the disk",
        "a commit that failed is acknowledged",
        "a server that starts has one event more than it has",
        "a part of a segment is sent with the whole one's chain",
        "of neighbouring uploads only the first is kept",
        "a revoked laptop is let in",
        "commits are pushed to every group",
        "others are told of a commit before whoever uploaded it",
        "a session stands on beside another's",
    ]
}
