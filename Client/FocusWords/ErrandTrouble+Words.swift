package import CommandLineKit
package import FocusLink

/// Why something that was asked of the group came to nothing, in words.
package struct GroupFailure: Error {
    /// What a command fails with by it.
    package let failure: CommandFailure
    /// What a person should know besides, as sentences.
    package let besides: [String]

    /// - Parameter decided: what holds on this laptop all the same, where it does, as a sentence.
    package init(_ trouble: ErrandTrouble, decided: String = "") {
        let failure = trouble.failure.asCommandFailure
        besides = trouble.notices.map(\.sentence)
        let outcome: String
        switch (trouble.standing, trouble.failure) {
        case (.unsynced, .ended(let end)):
            self.failure = CommandFailure(end.assurance, failure.status)
            return
        case (.unsynced, _), (.undone, _): outcome = ""
        case (.withoutInvite, _): outcome = "No invite was made."
        case (.outside, _): outcome = "This laptop hasn't joined."
        case (.inside, _): outcome = "This laptop is in the group, and syncs once that works."
        case (.asBefore, _): outcome = "Nothing was changed."
        case (.decidedHere, _): outcome = decided
        }
        self.failure =
            outcome.isEmpty ? failure : CommandFailure("\(failure.message) \(outcome)", failure.status)
    }

    /// What keeps it from being asked at all.
    package init(_ failure: CommandFailure) {
        self.failure = failure
        besides = []
    }
}

/// Asks something of the group, and words what it fails by.
package func reported<Result>(
    _ body: () throws(ErrandTrouble) -> Result
) throws(GroupFailure) -> Result {
    do throws(ErrandTrouble) { return try body() } catch { throw GroupFailure(error) }
}

/// Does what has to be possible before anything is asked of the group.
package func possible<Result>(
    _ body: () throws(CommandFailure) -> Result
) throws(GroupFailure) -> Result {
    do throws(CommandFailure) { return try body() } catch { throw GroupFailure(error) }
}
