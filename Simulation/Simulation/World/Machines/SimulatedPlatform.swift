import FocusCore
package import FocusDevice
import FocusSeal
import FocusText
import Synchronization
import TestSupport

extension Platform {
    /// Returns the platform of a simulated laptop, which is in UTC and has its key outside of its folder.
    ///
    /// - Parameters:
    ///   - name: The host name.
    ///   - seed: The seed of the random bytes.
    package static func simulated(_ clocks: MachineClocks, name: String, seed: UInt64) -> Platform {
        let generator = Mutex(SeededGenerator(seed: seed))
        return Platform(
            clocks: clocks, hostName: { name }, zone: { .utc },
            random: { (count) throws(SealError) in SecretBytes(generator.withLock { $0.bytes(count) }) },
            hasKey: { _ in false }, archiveKey: { _, _ in })
    }
}

/// The laptop's generator of replicas. It isn't part of the disk, so a restored or cloned laptop draws new
/// ones.
final class ReplicaSource {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func next() -> ReplicaID { ReplicaID(rawValue: random.next()) }
}
