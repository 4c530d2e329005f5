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
    private let command: @Sendable (String) -> String
    private let put: @Sendable (Level, String, KeyValuePairs<String, LogValue>) -> Void

    /// A log that nobody writes down.
    package static let silent = Log(least: nil, sentence: { "\($0)" }, command: { "focusd \($0)" }) {
        _, _, _ in
    }

    /// A log that leaves out what matters less than `least`.
    ///
    /// - Parameters:
    ///   - least: nil leaves out all.
    ///   - sentence: what a person is told of an error.
    ///   - command: a command for this server as the operator types it, from its words after `focusd`.
    ///   - put: writes down how much an event matters, what happened, and with what; on any thread.
    package init(
        least: Level?, sentence: @escaping @Sendable (any Error) -> String,
        command: @escaping @Sendable (String) -> String,
        put: @escaping @Sendable (Level, String, KeyValuePairs<String, LogValue>) -> Void
    ) {
        self.least = least
        self.sentence = sentence
        self.command = command
        self.put = put
    }

    /// Tells of an event: how much it matters, what happened, and with what.
    package func write(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        guard let least, level >= least else { return }
        put(level, event, fields)
    }

    /// What a person is told of an error.
    package func sentence(on error: any Error) -> String { sentence(error) }

    /// A command for this server as the operator types it: `focusd clock accept --data /srv/focusd`.
    package func command(for words: String) -> String { command(words) }
}

/// What is said of an event in the log, beside what happened.
package enum LogValue: Hashable, Sendable {
    /// A name, a number, or what a system or a library says.
    case text(String)
    /// What is wrong with the clock.
    case clock(ClockVerdict)
    /// What the operator is to do.
    case remedy(Remedy)
}

extension LogValue: ExpressibleByStringInterpolation {
    /// A text.
    package init(stringLiteral text: String) { self = .text(text) }
}

/// What the operator is to do about what the log says.
package enum Remedy: Hashable, Sendable {
    case setClock
    case restoreBackup
    /// The file of the server's key, which can't be read.
    case restoreKey
    /// The port at which metrics are to be had.
    case freePort
    /// What metrics are served with.
    case installLibrary
    case raiseOpenFiles
    case freeMemory
    /// It is said twice where to listen.
    case settleSocketUnit
    /// Everybody counts as a proxy.
    case nameProxies
    /// Its store is of another version now.
    case changeProgram
}
