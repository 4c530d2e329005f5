import CommandLineKit
import FocusCore
import FocusText
import FocusWriter
import SystemKit

/// A line of a log as focusd writes it: `key=value`, for people and for programs.
enum LogLine {
    /// The line, with its newline.
    static func text(
        _ level: Log.Level, _ event: String, _ fields: some Sequence<(key: String, value: String)>,
        time: SharedInstant
    ) -> String {
        var line = "time=\(InstantText.text(time)) level=\(level.rawValue) event=\(event)"
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

extension Log {
    /// The log of this process: a line an event on standard error.
    static func standardError(_ least: Level) -> Log {
        Log(least: least, sentence: { CommandFailure.about($0).message }) { level, event, fields in
            let line = LogLine.text(level, event, fields, time: ServerClock.wall())
            // One call a line, so that lines of several threads don't mix.
            try? FileDescriptor.standardError.writeAtOnce(line)
        }
    }
}
