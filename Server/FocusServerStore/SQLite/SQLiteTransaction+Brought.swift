import FocusColumns
import FocusCore
import SQLiteKit

/// The table `brought`.
extension SQLiteTransaction {
    func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int) {
        try database.first(
            "SELECT replicas, epochs FROM brought WHERE group_number = ? AND key = ?", number, key.bytes
        ) { ($0[0], $0[1]) } ?? (0, 0)
    }

    func addBrought(
        replicas: Int, epochs: Int, by key: Digest, toGroup number: Int64
    ) throws {
        try database.run(
            """
            INSERT INTO brought (group_number, key, replicas, epochs) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET replicas = replicas + excluded.replicas, epochs = epochs + excluded.epochs
            """, number, key.bytes, replicas, epochs)
    }
}
