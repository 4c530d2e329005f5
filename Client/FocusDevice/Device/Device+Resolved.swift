package import FocusStore

// What every front end shows until somebody presses anything: a notification may have been missed.
extension Device {
    /// What was resolved since the last press here, as the person was told of it: the log's file has it as a text, which a
    /// program of another version that has the same log open shows too. Nil where nothing was.
    func resolved() throws(StoreError) -> String? { try store.text(.resolved) }

    /// Takes note of it, in the words that the person was told it in.
    package func noteResolved(_ sentence: String) throws(StoreError) {
        try store.setText(sentence, for: .resolved)
    }

    /// Somebody has pressed something, and seen what there was to see.
    func forgetResolved() throws(StoreError) {
        if try resolved() != nil { try store.setText(nil, for: .resolved) }
        if try store.latePress() != nil { try store.setLatePress(nil) }
    }
}
