/// Why a laptop that the server let in isn't in the group.
package enum JoiningFailure: Error, Hashable, Sendable {
    /// The server let it in though it hadn't asked to join.
    case notAsked
    /// The server let it into another group than the invite's.
    case otherGroup
    /// It is in another group already: somebody joined meanwhile.
    case inAnotherGroup
    /// It left its group meanwhile, and has another key now.
    case leftMeanwhile
    /// Its log names no group though it just joined one.
    case noGroupKept
}
