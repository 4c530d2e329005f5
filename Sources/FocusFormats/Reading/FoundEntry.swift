import FocusCore

/// What stands somewhere in a file.
package struct FoundEntry: Hashable, Sendable {
    /// What a file may have there: an entry, or the reason why it gives none.
    package enum Content: Hashable, Sendable {
        case entry(HistoryEntry)
        /// Something that is as it should be, and that a history can't hold.
        case omission(Omission)
        /// Something that can't be read, and why.
        case unreadable(String)
    }

    /// The entry, or why there is none.
    package let content: Content
    /// The line that it begins on, from 1.
    package let line: Int

    /// What stands in a file from this line on, counted from 1.
    package init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }
}

/// Why an entry is left out.
package enum Omission: CaseIterable, Hashable, Sendable {
    /// It ends when it begins.
    case noLength
    /// It is longer than 24 hours.
    case tooLong
    case before1970
    case future
    /// It hasn't ended yet.
    case running
    /// A calendar's: a day without a time.
    case allDay
    /// A calendar's: one entry that stands for many.
    case recurring
    /// A calendar's: it didn't take place.
    case cancelled
    /// A calendar's: nobody said when.
    case noStart
    /// A calendar's: the file has a later version of it.
    case replaced
}

/// What is wrong with a file, or with something in it.
package struct BadFile: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    /// What is wrong there, to be read after the line's number.
    package let problem: String

    /// A problem on this line, counted from 1; its text is read after the line's number.
    package init(line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }

    package var description: String { "line \(line): \(problem)" }
}

extension FoundEntry {
    /// Something that can't be read.
    init(unreadable problem: BadFile) { self.init(.unreadable(problem.problem), line: problem.line) }

    /// What `read` finds, or what keeps it from being read.
    init(_ read: () throws(BadFile) -> FoundEntry) {
        do throws(BadFile) { self = try read() } catch { self.init(unreadable: error) }
    }

    /// The entry between two instants, or why there is none.
    ///
    /// - Throws: where it ends before it begins.
    init(
        _ activity: Activity, from: SharedInstant, to: SharedInstant, _ outcome: Outcome, label: String,
        source: String? = nil, line: Int
    ) throws(BadFile) {
        guard from <= to else { throw BadFile(line: line, "it ends before it begins") }
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

/// Reads a file of one format, however it is cut into pieces.
protocol EntryReader {
    /// Reads on. `take` is given what is found, and what can't be read.
    ///
    /// - Throws: `BadFile` if the file as a whole can't be read.
    mutating func read(_ bytes: ArraySlice<UInt8>, _ take: (FoundEntry) -> Void) throws(BadFile)
    /// Says that the file has ended.
    mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile)
}

/// What a file may hold.
package enum FileLimits {
    /// The longest line, field or element, in bytes.
    static let piece = 1 << 20
    /// The most bytes that a file of a history may have.
    package static let file = 1 << 30
    /// The most entries that may be taken from one file.
    package static let entries = 2_000_000
}
