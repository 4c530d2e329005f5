import SystemKit

/// The lock of the process that serves from a data folder. It is released with this value, and when the
/// process ends for any reason.
package struct DataLock: ~Copyable {
    private let file: LockFile

    /// Takes the lock.
    ///
    /// - Throws: `FolderFailure.isServed` if another process has it; `SystemError`.
    package init(_ folder: DataFolder) throws {
        guard let file = try LockFile(path: folder.lock) else { throw FolderFailure.isServed(folder) }
        self.file = file
    }

    /// Writes notes about the server that has the lock, for other commands. If the disk has no room, there
    /// are no notes.
    package static func record(_ notes: RunningNotes, _ folder: DataFolder) {
        LockFile.write(notes.text, to: folder.lock)
    }

    /// Returns the notes of the server that has the lock, or nil if no server runs.
    package static func notes(_ folder: DataFolder) -> RunningNotes? {
        LockFile.text(at: folder.lock, limit: 1024).map {
            RunningNotes(text: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Releases the lock.
    consuming func letGo() {}

    /// Whether a process has the lock.
    package static func isHeld(_ folder: DataFolder) -> Bool { LockFile.isHeld(folder.lock) }
}

/// The notes of a running server for other commands, in the lock file. Each note has a line of its own, which
/// is empty if the note is nil.
package struct RunningNotes: Hashable, Sendable {
    /// The address at which the server serves metrics and health; nil if it serves none.
    package var metrics: String?
    /// The problem of the server's clock, as in `ClockVerdict.trouble`; nil if there is none.
    package var clockTrouble: String?
    /// The reasons why laptops' changes can't be stored, in sentences; nil if they can.
    package var storeTrouble: String?

    /// The id of the server's process; nil if it isn't known. `focus share` reads it from the fourth line.
    package var process: Int32?
    /// The address at which the server serves browsers; nil if it serves none.
    package var web: String?
    /// The port at which laptops connect; nil if it isn't known. `focus share` reads it from the sixth line.
    package var port: UInt16?

    /// The text of the file.
    var text: String {
        [metrics, clockTrouble, storeTrouble, process.map { "\($0)" }, web, port.map { "\($0)" }]
            .map { "\($0 ?? "")\n" }.joined()
    }

    /// Empty notes.
    package init() {}

    /// Parses the file's text. A missing or empty line means nil.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func line(_ index: Int) -> String? {
            lines.indices.contains(index) && !lines[index].isEmpty ? lines[index] : nil
        }
        (metrics, clockTrouble, storeTrouble) = (line(0), line(1), line(2))
        process = line(3).flatMap { Int32($0) }
        web = line(4)
        port = line(5).flatMap { UInt16($0) }
    }
}
