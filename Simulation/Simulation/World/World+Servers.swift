import FocusAgent
import FocusCore
import FocusServerStore
import FocusSync
import SQLiteKit

// Several servers that share a database.
extension World {
    /// Performs the step if it is about a server or the database, and returns whether it was.
    func applyToServers(_ step: Step) -> Bool {
        guard let database else { return false }
        let server = self.server(by: step.seed)
        switch step.kind {
        case .killServer(_, let duration):
            server.stop(losingPower: false)
            later(duration) { server.start() }
        case .stopServer(let duration): server.stopGracefully(for: duration)
        case .freezeServer(let duration): server.freeze(for: duration)
        case .slowServer(let commit): server.commitTime = commit
        case .stepServerClock(let error, let duration):
            server.setClock(by: error)
            later(duration) { server.setClock(by: nil) }
        case .fillServerDisk(let duration):
            database.disk.isFull = true
            later(duration) { database.disk.isFull = false }
        case .cutDatabase(let fromAll, let duration):
            for machine in fromAll ? servers : [server] {
                database.setReachable(false, by: machine.index)
                later(duration) { database.setReachable(true, by: machine.index) }
            }
        case .loseAnswers(let duration):
            database.losesAnswers = true
            later(duration) { database.losesAnswers = false }
        case .loseNotices(let duration):
            database.losesNotices = true
            later(duration) { database.losesNotices = false }
        case .revokeAtServer(let index): if let laptop = laptop(index) { revokeAtServer(laptop) }
        default: return false
        }
        return true
    }

    /// Returns a sentence about a wrong presence that a server has told a laptop, or nil if there is none.
    /// Servers tell a change of presence a moment late.
    func presenceTrouble(of members: [Laptop]) -> String? {
        guard database != nil else { return nil }
        let present = members.filter { !$0.isAgentUnwanted && $0.agent?.connection.isConnected == true }
        for laptop in present {
            let links = laptop.links.inOrder.filter(\.isOpenAtServer)
            for other in present where other.key != laptop.key {
                guard !links.contains(where: { $0.showsConnected(other.key) == true }) else { continue }
                return "\(laptop.name) isn't shown that \(other.name) is connected"
            }
            for other in members where other.isAgentUnwanted && other.links.inOrder.isEmpty {
                let hasConnectedTwin = present.contains { $0.key == other.key }
                guard !hasConnectedTwin, links.contains(where: { $0.showsConnected(other.key) == true })
                else {
                    continue
                }
                return "\(laptop.name) is shown that \(other.name) is connected"
            }
        }
        return nil
    }

    /// Checks that the shared database is whole, and has all events that servers have acknowledged.
    func checkDatabase() {
        guard let database, let store = server.openedToRead() else { return }
        do {
            let check = try store.check()
            require(check.isWhole, "what several servers store is whole") { "\(check.problems)" }
            let logs = try store.read { try $0.readableLogs().logs }
            for (group, heads) in database.promised {
                for (replica, head) in heads {
                    let found = logs[group]?.head(of: replica).head ?? .empty
                    require(
                        found.seq > head.seq || found == head,
                        "what a server acknowledged is in the database that all share"
                    ) { "of \(replica) it had \(head.seq), and has \(found.seq)" }
                }
            }
        } catch {
            require(false, "the database that servers share can be read") { "\(error)" }
        }
    }
}
