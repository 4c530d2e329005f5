package import FocusStore

// What every front end shows until somebody presses anything: a notification may have been missed.
extension Device {
    /// What was settled since the last press here; nil where nothing was.
    func settled() throws(StoreError) -> String? { try store.text(.settled) }

    /// Takes note of it.
    package func noteSettled(_ sentence: String) throws(StoreError) {
        try store.setText(sentence, for: .settled)
    }

    /// Somebody has pressed something, and seen what there was to see.
    func forgetSettled() throws(StoreError) {
        if try settled() != nil { try store.setText(nil, for: .settled) }
        if try store.latePress() != nil { try store.keep(latePress: nil) }
    }
}
