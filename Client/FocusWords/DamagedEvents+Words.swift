import FocusLink

extension DamagedEvents {
    /// What is the matter; empty where nothing is.
    package var sentence: String {
        guard !counts.isEmpty else { return "" }
        let parts = counts.sorted { $0.key < $1.key }.map { "\(counted($0.value, "change")) of \($0.key)" }
        return
            "Damaged or forged, and left out on every laptop: \(parts.joined(separator: ", ")). The group's key "
            + "doesn't open them, and no other will come."
    }
}
