import SystemKit

/// Held by the process that serves from a data folder; let go when it ends, however it ends.
package struct DataLock: ~Copyable {
    private let file: LockFile

    /// - Throws: `FolderFailure.isServed` where another process has it; `SystemError`.
    package init(_ folder: DataFolder) throws {
        guard let file = try LockFile(path: folder.lock) else { throw FolderFailure.isServed(folder) }
        self.file = file
    }

    /// Says something of the server that has the lock to other commands, as far as there is room for it.
    package static func record(_ notes: RunningNotes, _ folder: DataFolder) {
        LockFile.write(notes.text, to: folder.lock)
    }

    /// What the server that has the lock says of itself; nil where none runs.
    package static func notes(_ folder: DataFolder) -> RunningNotes? {
        LockFile.text(at: folder.lock, limit: 512).map {
            RunningNotes(text: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Lets another process have it.
    consuming func letGo() {}

    /// Whether some process has the lock.
    package static func isHeld(_ folder: DataFolder) -> Bool { LockFile.isHeld(folder.lock) }
}

/// What a server that runs says of itself to other commands, in the file of its lock: a line each, empty where there is
/// nothing to say.
package struct RunningNotes: Hashable, Sendable {
    /// Where it serves metrics and health.
    package var metrics: String?
    /// What is wrong with its clock, as in `ClockVerdict.trouble`.
    package var clockTrouble: String?
    /// Why laptops can't have their changes stored, in sentences.
    package var storeTrouble: String?

    /// The file's text.
    var text: String { [metrics, clockTrouble, storeTrouble].map { "\($0 ?? "")\n" }.joined() }

    /// Nothing to say.
    package init() {}

    /// Reads the file's text; what isn't there wasn't said.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func line(_ index: Int) -> String? {
            lines.indices.contains(index) && !lines[index].isEmpty ? lines[index] : nil
        }
        (metrics, clockTrouble, storeTrouble) = (line(0), line(1), line(2))
    }
}
