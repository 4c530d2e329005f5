import CommandLineKit
import SQLiteKit

extension CommandFailure {
    /// What is wrong with the server's store in `folder`, and what to do about it.
    init(_ error: SQLiteError, _ folder: DataFolder) {
        self.init(CommandFailure.sentence(error, folder))
    }

    private static func sentence(_ error: SQLiteError, _ folder: DataFolder) -> String {
        let path = folder.store
        return switch error.code {
        case _ where error.isForLackOfRoom:
            "The disk with \(path) is full, so nothing was changed. Make room on it."
        case .permission, .readOnly, .cannotOpen:
            "\(path) can't be opened: \(error). It and its folder must be the server's user's to write."
        case .corrupt, .notADatabase:
            "\(path) is damaged: \(error). Restore a backup (\(folder.command("restore FILE --replace"))), or move it "
                + "away: laptops that join with new invites bring everything back after this: "
                + folder.command("init")
        case .inputOutput: "The disk with \(path) fails: \(error)."
        default: "\(path) can't be used: \(error)."
        }
    }
}
