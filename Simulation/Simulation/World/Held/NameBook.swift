import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import SQLiteKit

/// What a laptop's log said under its names when it was last looked at: that must not change, unless the laptop
/// itself has called its events otherwise.
struct NameBook {
    private var heads: [ReplicaID: Head] = [:]

    /// The laptop has called some of its events otherwise, or has lost some.
    mutating func forget() { heads = [:] }

    /// Looks whether everything still says what it said.
    mutating func check(_ laptop: Laptop) throws {
        guard let store = laptop.hand?.store else { return }
        let vector = try store.versionVector()
        var log: SealedLog?
        for (replica, head) in heads {
            guard vector[replica].seq >= head.seq else {
                return laptop.world.require(false, "a log never gets shorter") {
                    "\(laptop.name) had \(head.seq) events of \(replica), now \(vector[replica].seq)"
                }
            }
            var chain: Chain? = vector[replica].chain
            if vector[replica].seq > head.seq {
                if log == nil { log = try SealedLog(store) }
                guard let log else { return }
                chain = try store.chain(of: replica, at: head.seq, log)
            }
            laptop.world.require(chain == head.chain, "what a name says never changes on a laptop") {
                "\(laptop.name): \(replica) \(head.seq)"
            }
        }
        heads = vector.heads
    }
}
