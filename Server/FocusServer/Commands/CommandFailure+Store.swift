import CommandLineKit
import FocusServerFiles
import SQLiteKit
import SystemKit

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
            "\(path) can't be opened: \(error). It and its folder must be writable by the server's user."
        case .corrupt, .notADatabase:
            "\(path) is damaged: \(error). Restore a backup (\(folder.command("restore FILE --replace"))), or move it "
                + "away: laptops that join with new invites bring everything back after this: "
                + folder.command("init")
        case .inputOutput: "The disk with \(path) fails: \(error)."
        default: "\(path) can't be used: \(error)."
        }
    }

    /// Why the server's store in `folder` isn't one that this program can use, and what to do about it.
    init(_ error: SchemaError, _ folder: DataFolder) {
        let path = folder.store
        switch error.code {
        case .newer:
            let copy = Upgrade.copy(of: path, version: error.known)
            let back =
                access(copy, F_OK) == 0
                ? " Or go back to the store as it was before: \(copy) (docs/operations.md, \"Upgrades\")."
                : ""
            self.init(
                "\(path) has version \(error.found), and this focusd knows versions up to \(error.known): a newer one "
                    + "has used it. Install that one, or one still newer.\(back)")
        case .older:
            self.init(
                "\(path) has version \(error.found), and this focusd needs version \(error.known). This brings it "
                    + "there: \(folder.command("status"))")
        case .foreign:
            self.init("\(path) is another program's. Name another folder with --data.")
        }
    }

    /// Why the server's store in `folder` could not be upgraded, and what to do about it.
    init(_ error: UpgradeError, _ folder: DataFolder) {
        let remedy =
            error.cause.isForLackOfRoom
            ? "Make room on the disk." : "The folder must be writable by the server's user."
        self.init("Nothing was changed in \(folder.path): \(error). \(remedy)")
    }
}

extension DataFolder {
    /// What was done to its store as this program first used it.
    func sentence(on upgrade: Upgrade) -> String {
        "The store was brought from version \(upgrade.from) to \(upgrade.to). As it was, it is kept in "
            + "\(upgrade.copy).\n"
    }
}
