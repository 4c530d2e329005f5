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
            let group = try hand.store.group(),
            !links.standing.isEmpty,
            links.standing.values.allSatisfy({
                $0.serverLife == $0.server.life && !$0.server.deleted.contains(group)
            })
        else { return }
        for replica in try hand.store.replicas() where replica.acknowledged > 0 {
            // What is in the store may be found equal there before its commit is answered.
            let kept =
                world.servers.map { server in
                    max(
                        server.vector(of: group)[replica.id].seq,
                        server.promisedSeq(of: replica.id, in: group))
                }.max() ?? 0
            world.require(
                replica.acknowledged <= kept, "what counts as acknowledged is on the server"
            ) { "\(name) counts \(replica.acknowledged) of \(replica.id), the server has \(kept)" }
        }
    }
}
