import FocusAgent
import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit

extension Laptop {
    /// What a laptop that is in touch with the server counts as acknowledged, the server has.
    ///
    /// A host can claim that it stores what it throws away. From then on until the next calm nothing is asked; after
    /// that all of it has to be with the server, and so in the claims of an honest one. Nor is anything asked of a group
    /// that was taken off the server.
    func checkAcknowledged() throws {
        guard world.host?.hasClaimed != true, let hand, isUp, disk.hasPower, agent?.isConnected == true,
            let group = try hand.store.group(), !world.server.deleted.contains(group),
            !links.standing.isEmpty, links.standing.values.allSatisfy({ $0.serverLife == world.server.life })
        else { return }
        for replica in try hand.store.replicas() where replica.acknowledged > 0 {
            // What is in the store may be found equal there before its commit is answered.
            let stored = world.server.vector(of: group)[replica.id].seq
            let kept = max(stored, world.server.promisedSeq(of: replica.id, in: group))
            world.require(
                replica.acknowledged <= kept, "what counts as acknowledged is on the server"
            ) { "\(name) counts \(replica.acknowledged) of \(replica.id), the server has \(kept)" }
        }
    }
}
