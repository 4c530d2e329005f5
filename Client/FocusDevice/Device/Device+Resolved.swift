package import FocusStore

// A sentence that every front end shows until the next press here, because its notification may have been
// missed.
extension Device {
    /// Returns the sentence about presses that were resolved since the last press here, or nil if there were
    /// none. It is stored as text, so that a program of another version can show it too.
    func resolved() throws(StoreError) -> String? { try store.text(.resolved) }

    /// Stores the sentence in which the person was told what was resolved.
    package func noteResolved(_ sentence: String) throws(StoreError) {
        try store.setText(sentence, for: .resolved)
    }

    /// Forgets the sentence and the late press. Called at a press: its person has seen both.
    func forgetResolved() throws(StoreError) {
        if try resolved() != nil { try store.setText(nil, for: .resolved) }
        if try store.latePress() != nil { try store.setLatePress(nil) }
    }
}
