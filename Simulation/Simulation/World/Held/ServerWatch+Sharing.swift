import FocusCore
import FocusServing

// The rules for one of several servers that share a store.
extension ServerWatch {
    /// Checks that a device that any server or a command has revoked loses its connections at all servers
    /// within 5 seconds.
    func lookAtRevoked(_ open: [SeenConnection], _ machine: Int, _ database: SharedDatabase) {
        let revoked = database.revocations()
        guard !isStopping, !revoked.isEmpty else { return }
        for seen in open {
            guard let since = seen.group.flatMap({ revoked[$0]?[seen.key] }) else { continue }
            let stays = now - max(since, database.isWellSince(machine))
            require(
                stays > ServerWatch.shutOut ? "\(seen.key.short) has one for \(stays / 1_000_000) s" : nil,
                "who is revoked loses its connections at all servers")
        }
    }

    /// The server looks for revocations once a second, then the writer reads them; this check too runs once a
    /// second.
    private static let shutOut: Int64 = .seconds(5)
}
