/// What a server that runs tells its operator, event by event. The program says what becomes of it, and has the words.
/// Never a key, a token or a label.
package struct Log: Sendable {
    /// How much an event matters.
    package enum Level: String, Comparable, CaseIterable, Sendable {
        case debug, info, warning, error

        package static func < (left: Level, right: Level) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// Events of lower levels are left out; nil leaves out all.
    private let least: Level?
    private let sentence: @Sendable (any Error) -> String
    private let put: @Sendable (Level, String, KeyValuePairs<String, String>) -> Void

    /// A log that nobody writes down.
    package static let silent = Log(least: nil, sentence: { "\($0)" }) { _, _, _ in }

    /// A log that leaves out what matters less than `least`.
    ///
    /// - Parameters:
    ///   - least: nil leaves out all.
    ///   - sentence: what a person is told of an error.
    ///   - put: writes down how much an event matters, what happened, and with what; on any thread.
    package init(
        least: Level?, sentence: @escaping @Sendable (any Error) -> String,
        put: @escaping @Sendable (Level, String, KeyValuePairs<String, String>) -> Void
    ) {
        self.least = least
        self.sentence = sentence
        self.put = put
    }

    /// Tells of an event: how much it matters, what happened, and with what.
    package func write(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        guard let least, level >= least else { return }
        put(level, event, fields)
    }

    /// What a person is told of an error.
    package func sentence(on error: any Error) -> String { sentence(error) }
}
