import FocusPage
import FocusText

/// The sentences of a browser's device.
enum BrowserText {
    static let full = "This browser has no room left for Lockstep's data, so this wasn't done."
    static let notStored = "This browser couldn't store this, so it wasn't done. Try again."
    static let otherOwner =
        "Another tab or window has taken over this browser's timer. Reload this page."
    static let newer =
        "A newer version of Lockstep has written what this browser has stored. Nothing was changed. Reload this page "
        + "to get that version."
    static let notFound = "There is nothing here."

    static func failed(_ problem: String) -> String {
        "What this browser has stored can't be opened: \(problem)."
    }

    static func sentence(_ damage: StorageDamage) -> String {
        let problem =
            switch damage {
            case .records(1): "one of its parts is missing or can't be read"
            case .records(let count): "\(count) of its parts are missing or can't be read"
            case .mixed: "some of its parts are older than others"
            case .database(let found): found
            }
        let sentence = "What this browser has stored is damaged: \(problem)."
        // SQLite may find it after presses that were stored.
        if case .database = damage { return sentence }
        return "\(sentence) Nothing was changed."
    }
}

extension PageAnswer {
    /// The answer with a sentence about a failure.
    init(browserError sentence: String, status: UInt32 = 503) {
        let error = JSON.object([JSON.Member("error", .string(sentence))])
        self.init(status, type: "application/json", Array("\(error)".utf8))
    }

    /// The answer with the log as text.
    static func log(_ text: String) -> PageAnswer {
        PageAnswer(200, type: "application/jsonl", Array(text.utf8))
    }

    /// The answer to a request that a browser's device doesn't know.
    static let unknown = PageAnswer(browserError: BrowserText.notFound, status: 404)
}
