package import FocusStore

// The last sentence that told the person of contradicting presses that were resolved, or of a late press.
// Every front end shows it until the next press here, because its notification may have been missed.
extension Device {
    /// Returns the sentence, or nil if there was none since the last press here. It is stored as text, so that
    /// a program of another version can show it too.
    func conflictNotice() throws(StoreError) -> String? { try store.text(.resolved) }

    /// Stores the sentence that the person was told.
    package func storeConflictNotice(_ sentence: String) throws(StoreError) {
        try store.setText(sentence, for: .resolved)
    }

    /// Removes the sentence and the stored late press. Called at a press: the person has seen both.
    func removeConflictNotice() throws(StoreError) {
        if try conflictNotice() != nil { try store.setText(nil, for: .resolved) }
        if try store.latePress() != nil { try store.setLatePress(nil) }
    }
}
