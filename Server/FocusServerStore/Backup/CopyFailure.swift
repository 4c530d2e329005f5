/// Why a backup makes no server's store.
package enum CopyFailure: Error, Hashable, Sendable {
    /// All of this is wrong with it, a sentence each.
    case isDamaged([String])
    /// There is no server's key in it.
    case hasNoKey
}
