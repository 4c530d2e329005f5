import CommandLineKit
import FocusCore
import FocusServerCore
import FocusServerStore
import FocusServing
import FocusText
import SystemKit

/// A line of focusd's logs: `key=value` pairs, for people and for programs.
enum LogLine {
    /// Returns the line, with its newline.
    static func text(
        _ level: Log.Level, _ event: String, _ fields: some Sequence<(key: String, value: String)>,
        time: SharedInstant
    ) -> String {
        var line = "time=\(InstantText.text(time)) level=\(level.rawValue) event=\(event)"
        for (key, value) in fields { line += " \(key)=\(quoted(value))" }
        return line + "\n"
    }

    /// Returns the value itself, or in quotes with escapes if it would not be one word.
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
    /// Returns the log of this process, which serves from `folder`: one line for each event on standard
    /// error.
    static func standardError(_ least: Level, _ folder: DataFolder) -> Log {
        Log(
            least: least, sentence: { CommandFailure.about($0).message }, command: { folder.command($0) }
        ) { level, event, fields in
            let fields = fields.map { (key: $0.key, value: $0.value.words(folder)) }
            let line = LogLine.text(level, event, fields, time: ServerClock.wall())
            // One call for each line, so that the lines of several threads don't mix.
            try? FileDescriptor.standardError.writeAtOnce(line)
        }
    }
}

extension LogValue {
    /// Returns the value as text for the log of the server in `folder`.
    func words(_ folder: DataFolder) -> String {
        switch self {
        case .text(let text): text
        case .clock(let verdict): verdict.trouble ?? ""
        case .remedy(let remedy): remedy.words(folder)
        }
    }
}

extension Remedy {
    /// Returns the instruction for an operator.
    fileprivate func words(_ folder: DataFolder) -> String {
        switch self {
        case .setClock: ClockVerdict.remedy(folder.command("clock accept"))
        case .restoreBackup: "restore a backup"
        case .restoreKey: "restore the file; this server goes on with its key"
        case .freePort: "free the port, or set 'metrics' to another address, or to off"
        case .installLibrary: "install it and restart the server, or set 'metrics' to off"
        case .installPage:
            "put the page's files into that folder, or name theirs in 'web-files', and restart the server"
        case .raiseOpenFiles:
            "raise its limit of open files: LimitNOFILE in its systemd unit, or 'ulimit -n' before it starts"
        case .freeMemory: "free memory and open files on this machine"
        case .changeProgram: "install the focusd that knows that version, and start it"
        case .nameProxies:
            "name only the proxies' own addresses: a client at one of them can claim any address"
        case .settleSocketUnit: "name the address in the socket unit, or disable that unit"
        }
    }
}

/// `audit.log` in the data folder: the actions of operators on the server, one line each, never deleted.
struct AuditLog {
    private let folder: DataFolder

    init(_ folder: DataFolder) { self.folder = folder }

    /// Appends a line durably: the time, the user, the action and its subject. The fields must contain no
    /// secret.
    ///
    /// - Throws: `CommandFailure` if the line can't be written. The caller must then not do the action
    ///   either.
    func write(_ act: String, _ fields: [(key: String, value: String)] = []) throws(CommandFailure) {
        let path = folder.audit
        let line = LogLine.text(.info, act, AuditLog.who + fields, time: ServerClock.wall())
        let descriptor = NewFile.open(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        guard descriptor >= 0 else { throw CommandFailure(errno: "\(path) can't be opened") }
        defer { close(descriptor) }
        // One call for each line, so that the lines of several commands don't mix.
        do {
            try FileDescriptor(descriptor, named: path).writeAtOnce(line)
        } catch {
            throw CommandFailure.about(error)
        }
        guard fsync(descriptor) == 0 else { throw CommandFailure(errno: "\(path) can't be written to") }
    }

    /// The user who runs this process, and the user who called sudo, if any.
    private static var who: [(key: String, value: String)] {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        let sudo = Environment.process["SUDO_USER"].map { [("for", $0)] } ?? []
        return [("user", user)] + sudo
    }
}
