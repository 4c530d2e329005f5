import CommandLineKit
import SQLiteKit

extension CommandFailure {
    /// What is wrong with the server's store at `path`, and what to do about it.
    init(_ error: SQLiteError, _ path: String) {
        self.init(CommandFailure.sentence(error, path))
    }

    private static func sentence(_ error: SQLiteError, _ path: String) -> String {
        switch error.code {
        case _ where error.isForLackOfRoom:
            "The disk with \(path) is full, so nothing was changed. Make room on it."
        case .permission, .readOnly, .cannotOpen:
            "\(path) can't be opened: \(error). It and its folder must be the server's user's to write."
        case .corrupt, .notADatabase:
            "\(path) is damaged: \(error). Move it away and run 'focusd init': laptops that join with new "
                + "invites bring everything back."
        case .inputOutput: "The disk with \(path) fails: \(error)."
        default: "\(path) can't be used: \(error)."
        }
    }
}
