import CommandLineKit
import FocusCore
import FocusText
import FocusWords
import SystemKit

/// A log as text in a file that a person named.
struct LogFile {
    let events: [EventLine]

    /// Reads the file, or standard input for `-`; a bad line is named by file and number.
    init(_ path: String, in context: CommandContext) throws(CommandFailure) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try context.contents(path)
        } catch {
            throw CommandFailure(error)
        }
        try self.init(path, bytes)
    }

    /// What the file at `path` holds, whose bytes these are.
    init(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
        do throws(LogText.BadLine) {
            events = try LogText.parse(bytes)
        } catch {
            throw CommandFailure("\(LogFile.name(path)), \(error). Nothing was imported.")
        }
    }

    /// What the file at `path` is called in messages.
    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}

extension EventLog.Refusal {
    /// What is wrong, to be read after a colon.
    var explanation: String {
        switch self {
        case .conflict(let id): "two different events are \(id.name)"
        case .stampNotRising(let id): "the stamp of \(id.name) is not above that of the event before it"
        case .stampTooLarge(let id): "the stamp of \(id.name) is past the last one there can be"
        case .seqZero(let id): "\(id.name) has the number 0, and numbers begin at 1"
        }
    }
}

extension EventID {
    /// How the event is called in messages: `9f2c6a1b00d4e7aa/12`.
    var name: String { "\(replica.text)/\(seq)" }
}
