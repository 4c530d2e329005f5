import FocusWords

extension AloneQuestion {
    /// What there is to take along.
    package var sentences: [String] {
        ["Recorded here alone: \(extent.text)."]
            + (endsRun
                ? ["The session that is open now is part of it. It goes on, unless the group has one."] : [])
    }

    /// What is asked about it.
    package static let question = "Take it along into the group, where all its members see it?"
}
