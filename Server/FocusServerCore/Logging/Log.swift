/// A running server's log for its operator: a series of named events. The program decides how they are
/// written, and supplies the sentences. Keys, tokens and labels are never logged.
package struct Log: Sendable {
    /// The importance of an event.
    package enum Level: String, Comparable, CaseIterable, Sendable {
        case debug, info, warning, error

        package static func < (left: Level, right: Level) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// The lowest level that is logged; nil logs nothing.
    private let least: Level?
    private let sentence: @Sendable (any Error) -> String
    private let command: @Sendable (String) -> String
    private let put: @Sendable (Level, String, KeyValuePairs<String, LogValue>) -> Void

    /// A log that drops everything.
    package static let silent = Log(least: nil, sentence: { "\($0)" }, command: { "focusd \($0)" }) {
        _, _, _ in
    }

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - least: The lowest level that is logged; nil logs nothing.
    ///   - sentence: Returns the description of an error for people.
    ///   - command: Returns a command for this server as the operator types it, from the words after
    ///     `focusd`.
    ///   - put: Writes an event with its level, its name and its fields. It may be called on any thread.
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

    /// Logs an event with its level, its name and its fields.
    package func write(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        guard let least, level >= least else { return }
        put(level, event, fields)
    }

    /// Returns the description of an error for people.
    package func sentence(on error: any Error) -> String { sentence(error) }

    /// Returns a command for this server as the operator types it: `focusd clock accept --data /srv/focusd`.
    package func command(for words: String) -> String { command(words) }
}

/// The value of a field of a log event.
package enum LogValue: Hashable, Sendable {
    /// A name, a number, or a message from the system or a library.
    case text(String)
    /// The state of the clock.
    case clock(ClockVerdict)
    /// An action for the operator.
    case remedy(Remedy)
}

extension LogValue: ExpressibleByStringInterpolation {
    /// Creates a text.
    package init(stringLiteral text: String) { self = .text(text) }
}

/// An action that the log recommends to the operator.
package enum Remedy: Hashable, Sendable {
    case setClock
    case restoreBackup
    /// Restore the file of the server's key, which can't be read.
    case restoreKey
    /// Make the port for metrics available.
    case freePort
    /// Install the library that serves metrics.
    case installLibrary
    /// Provide the files of the page for browsers.
    case installPage
    case raiseOpenFiles
    case freeMemory
    /// Remove one of two settings of the address to listen on.
    case settleSocketUnit
    /// Name the proxies, because the setting covers all addresses.
    case nameProxies
    /// Install the program version that matches the store, and start it.
    case changeProgram
}
