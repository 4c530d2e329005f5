package import SQLiteKit

/// How often a store was locked on a disk: once or twice for each transaction, and once more where it writes.
package final class LockCounter {
    /// So often since the last call of `count(on:)`.
    package private(set) var locks = 0

    /// None counted yet.
    package init() {}

    /// Counts from now on, from none, what happens on this disk.
    package func count(on disk: VirtualDisk) {
        locks = 0
        disk.whenCalled = { [unowned self] in if $0 == .lockShared { locks += 1 } }
    }
}
