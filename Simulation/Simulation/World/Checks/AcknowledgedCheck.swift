import FocusAgent
import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit

extension Laptop {
    /// Checks that the server has each event that this laptop counts as acknowledged. Does nothing without a
    /// connection, or if the group was deleted from the server. A lying host can claim that it stores events
    /// which it throws away. After such a claim nothing is checked until the next calm.
    func checkAcknowledged() throws {
        guard world.host?.hasClaimed != true, let device, isUp, disk.hasPower,
            agent?.connection.isConnected == true,
            let group = try device.store.group(),
            !links.established.isEmpty,
            links.established.values.allSatisfy({
                $0.serverLife == $0.server.life && !$0.server.deleted.contains(group)
            })
        else { return }
        for replica in try device.store.replicas() where replica.acknowledged > 0 {
            // A laptop may learn in a welcome that the store has its events, before their commit is answered.
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
