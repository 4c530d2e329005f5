import FocusCore

/// An entry found in a file, or the reason why there is none.
package struct ParsedItem: Hashable, Sendable {
    /// An entry, or the reason why there is none.
    package enum Content: Hashable, Sendable {
        case entry(HistoryEntry)
        /// A valid part of the file that a history can't hold.
        case omission(Omission)
        /// A part of the file that can't be read, and the reason.
        case unreadable(String)
    }

    /// The entry, or the reason why there is none.
    package let content: Content
    /// The line of its beginning, from 1.
    package let line: Int

    /// Creates the content found on this line, counted from 1.
    package init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }
}

/// The reason why an entry is left out.
package enum Omission: CaseIterable, Hashable, Sendable {
    /// It ends at the instant at which it begins.
    case noLength
    /// It is longer than 24 hours.
    case tooLong
    case before1970
    case future
    /// It hasn't ended yet.
    case running
    /// In a calendar: a day without a time.
    case allDay
    /// In a calendar: a series, or an event of one.
    case recurring
    /// In a calendar: it was cancelled.
    case cancelled
    /// In a calendar: it has no beginning.
    case noStart
    /// In a calendar: the file has a later version of it.
    case replaced
}

/// A problem with a file, or with a part of it.
package struct FileFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The problem's description, to be read after the line's number.
    package let problem: String

    /// Creates a problem on this line, counted from 1. Its text is read after the line's number.
    package init(line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }

    package var description: String { "line \(line): \(problem)" }
}

extension ParsedItem {
    /// Creates a part that can't be read.
    init(unreadable problem: FileFormatError) { self.init(.unreadable(problem.problem), line: problem.line) }

    /// Creates the entry that `read` returns, or a part that can't be read if it throws.
    init(_ read: () throws(FileFormatError) -> ParsedItem) {
        do throws(FileFormatError) { self = try read() } catch { self.init(unreadable: error) }
    }

    /// Creates the entry between two instants, or the reason to leave it out.
    ///
    /// - Throws: `FileFormatError` if it ends before it begins.
    init(
        _ activity: Activity, from: SharedInstant, to: SharedInstant, _ outcome: Outcome, label: String,
        source: String? = nil, line: Int
    ) throws(FileFormatError) {
        guard from <= to else { throw FileFormatError(line: line, "it ends before it begins") }
        if from == to {
            self.init(.omission(.noLength), line: line)
        } else if from < .zero {
            self.init(.omission(.before1970), line: line)
        } else if to - from > Action.Record.longest {
            self.init(.omission(.tooLong), line: line)
        } else {
            let entry = HistoryEntry(
                activity: activity, interval: Interval(from: from, to: to), outcome: outcome, label: label,
                source: source)
            self.init(.entry(entry), line: line)
        }
    }
}

/// A reader of files of one format. It accepts the bytes in pieces of any size.
protocol EntryReader {
    /// Reads the next bytes. Entries, and parts that can't be read, are passed to `body`.
    ///
    /// - Throws: `FileFormatError` if the file as a whole can't be read.
    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ParsedItem) -> Void) throws(FileFormatError)
    /// Ends the file and reads the rest.
    ///
    /// - Throws: `FileFormatError` if the file as a whole can't be read.
    mutating func finish(_ body: (ParsedItem) -> Void) throws(FileFormatError)
}

/// The limits of a file.
package enum FileLimits {
    /// The longest line, field or element, in bytes.
    static let piece = 1 << 20
    /// The most bytes that a file of a history may have.
    package static let file = 1 << 30
    /// The most entries that may be taken from one file.
    package static let entries = 2_000_000
}
