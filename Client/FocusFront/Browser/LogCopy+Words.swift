import FocusDevice

// The ends of sentences about a copy of a log that a browser keeps. No command reads it.
extension Home {
    /// The end of the sentence that a copy is kept of the log of a group that the device has left.
    var useAfterLeaving: String { " among this browser's data." }

    /// The words after the sentence that history was left behind.
    var useAfterJoining: String { " A copy of it is kept among this browser's data." }
}
