package import SQLiteKit

/// Counts how often a store on a disk is locked. Each transaction locks it once or twice, and once more if it
/// writes.
package final class LockCounter {
    /// The number of locks since the last call of `count(on:)`.
    package private(set) var locks = 0

    /// A counter at 0.
    package init() {}

    /// Starts counting the locks on `disk` from 0.
    package func count(on disk: VirtualDisk) {
        locks = 0
        disk.whenCalled = { [unowned self] in if $0 == .lockShared { locks += 1 } }
    }
}
