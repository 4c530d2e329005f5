import FocusText

/// What `focus doctor` found out about one thing.
struct Finding: Hashable {
    /// What was looked at.
    enum Subject: String, CaseIterable {
        case files, disk, log, keys, group, server, clock, pending, agent, hooks, notifications
    }

    /// How it is.
    enum Verdict: String {
        case fine
        /// Worth knowing, and no harm.
        case note
        /// It has to be mended.
        case wrong
    }

    let subject: Subject
    let verdict: Verdict
    /// How it is, in whole sentences.
    let text: String
    /// What mends it, in whole sentences; nil where there is nothing to mend, or the text says it.
    let remedy: String?

    static func fine(_ subject: Subject, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .fine, text: text, remedy: nil)
    }

    static func note(_ subject: Subject, _ text: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, text: text, remedy: remedy)
    }

    static func wrong(_ subject: Subject, _ text: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .wrong, text: text, remedy: remedy)
    }

    /// The member of the array that `focus doctor --json` prints.
    var json: JSON {
        .object([
            JSON.Member("subject", .string(subject.rawValue)),
            JSON.Member("verdict", .string(verdict.rawValue)),
            JSON.Member("text", .string(text)), JSON.Member("remedy", .optional(remedy)),
        ])
    }
}
