import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The table `epochs`.
extension SQLiteTransaction {
    func putEpoch(_ record: EpochRecord, group number: Int64) throws {
        try database.run(
            "INSERT OR REPLACE INTO epochs (group_number, epoch, predecessor, body) VALUES (?, ?, ?, ?)",
            number,
            record.epoch, record.predecessor, record.body)
    }

    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord? {
        try database.first(
            "SELECT predecessor, body FROM epochs WHERE group_number = ? AND epoch = ?", number,
            epoch
        ) { row in
            EpochRecord(epoch: epoch, predecessor: row[0], body: row[1])
        }
    }

    func bodyLength(of epoch: EpochID, in number: Int64) throws -> Int {
        try database.first(
            "SELECT length(body) FROM epochs WHERE group_number = ? AND epoch = ?", number, epoch
        ) { $0[0] } ?? 0
    }
}
