/// Why a backup makes no server's store.
package enum CopyFailure: Error, Hashable, Sendable {
    /// All of this is wrong with it.
    case isDamaged([StoreProblem])
    /// There is no server's key in it.
    case hasNoKey
}
