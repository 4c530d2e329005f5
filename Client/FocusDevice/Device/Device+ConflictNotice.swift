package import FocusCore
package import FocusStore

// The last sentence that told the person of contradicting presses that were resolved, or of a late press.
// Every front end shows it until the next press here, because its notification may have been missed.
extension Device {
    /// Returns the sentence, with the press that takes the late press back now. Nil if there was none since
    /// the last press here, or if the late press was taken back elsewhere. It is stored as text, so that a
    /// program of another version can show it too.
    func conflictNotice(
        _ state: ReplayState
    ) throws(StoreError) -> (sentence: String, remedy: LatePress.Remedy?)? {
        guard let sentence = try store.text(.resolved) else { return nil }
        guard let press = try store.latePress() else { return (sentence, nil) }
        if let event = try store.event(press), try store.isTakenBack(event) { return nil }
        return (
            sentence,
            LatePress.Remedy(of: press, undoable: try undoable(state)?.id, undo: try lastUndo(state))
        )
    }

    /// Stores the sentence that the person was told.
    ///
    /// - Parameter press: The late press that it is about, if one press of undo or redo takes that back.
    package func storeConflictNotice(
        _ sentence: String, about press: EventID? = nil
    ) throws(StoreError) {
        try store.setText(sentence, for: .resolved)
        try store.setLatePress(press)
    }

    /// Removes the sentence and the stored late press. Called at a press: the person has seen both.
    func removeConflictNotice() throws(StoreError) {
        if try store.text(.resolved) != nil { try store.setText(nil, for: .resolved) }
        if try store.latePress() != nil { try store.setLatePress(nil) }
    }
}
