import SystemKit

/// What the system didn't let be done with a file or a folder.
package struct FileFailure: Error, Hashable, Sendable {
    /// What was to be done with it.
    package enum Step: Hashable, Sendable {
        case open
        case read
        case make
        /// Make it, as the folder that backups go to.
        case makeArchive
        /// Make a folder beside it, in which it is made.
        case makePart
        /// Move it into this folder.
        case move(to: String)
    }

    /// What failed.
    package let step: Step
    /// What with.
    package let path: String
    /// Why, as the system numbers it (`errno`).
    package let reason: Int32

    /// The step in which the last call failed, for the reason that it left in `errno`.
    init(_ step: Step, _ path: String) {
        self.step = step
        self.path = path
        reason = errno
    }
}
