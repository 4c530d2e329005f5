import CommandLineKit
import FocusText
import Glibc

/// What focusd writes to standard error: a line an event, `key=value`. Never a key, a token or a label.
package struct Log: Sendable {
    /// How much a line matters.
    package enum Level: String, Comparable, CaseIterable, Sendable {
        case debug, info, warning, error

        package static func < (left: Level, right: Level) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// Lines of lower levels are left out; nil leaves out all.
    let least: Level?

    /// A log that nobody writes down.
    package static let silent = Log(least: nil)

    /// A log that leaves out what matters less than `least`; nil leaves out all.
    package init(least: Level?) { self.least = least }

    /// Writes a line: when, how much it matters, what happened, and with what.
    func write(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        guard let least, level >= least else { return }
        let line = Log.line(level, event, fields, time: ServerClock.wall())
        // One call a line, so that lines of several threads don't mix.
        _ = Array(line.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The line, with its newline. `time` is in milliseconds since the Unix epoch.
    static func line(
        _ level: Level, _ event: String, _ fields: some Sequence<(key: String, value: String)>, time: Int64
    ) -> String {
        var line = "time=\(Instant.text(time)) level=\(level.rawValue) event=\(event)"
        for (key, value) in fields { line += " \(key)=\(quoted(value))" }
        return line + "\n"
    }

    /// The value as it is, or in quotes with escapes where it would not be one word.
    private static func quoted(_ value: String) -> String {
        let value = TerminalText.message(value)
        let isWord =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0 != "\"" && $0 != "=" && $0 != "\\"
            }
        if isWord { return value }
        var quoted = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
