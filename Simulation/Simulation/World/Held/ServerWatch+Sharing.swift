import FocusCore
import FocusServing

// What has to hold of one of several servers that share a store.
extension ServerWatch {
    /// Who is revoked, by whichever server or by a command, loses its connections at all of them before long.
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

    /// It is looked for once a second, read by the writer, and looked at here once a second.
    private static let shutOut: Int64 = .seconds(5)
}
