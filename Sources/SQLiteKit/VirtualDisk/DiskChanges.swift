/// The changes of a disk's files since changes were last collected. They must be stored completely or not at
/// all.
package struct DiskChanges: Equatable, Sendable {
    /// Changes are numbered from 1, in the order in which they must be stored.
    package let number: UInt64
    /// The paths of the removed files, sorted.
    package let removed: [String]
    /// The new and the changed files, by ascending path.
    package let written: [FileChange]
}

/// The change of a file since changes were last collected.
package struct FileChange: Equatable, Sendable {
    /// The path of the file.
    package let path: String
    /// The length of the file in bytes. Stored blocks beyond it are to be dropped.
    package let count: Int
    /// The changed blocks, by ascending index. A file that is new at its path has all its blocks here.
    package let blocks: [Block]

    /// A block of a file.
    package struct Block: Equatable, Sendable {
        /// The offset of the block in the file, divided by the length of a block.
        package let index: Int
        /// The 4096 bytes of the block. Those beyond the file's end are zero.
        package let bytes: [UInt8]
    }
}

/// A record of the collected and the stored changes.
struct ChangeTracker {
    /// The length of each file when changes were last collected, by path.
    private var counts: [String: Int]
    /// The number of the last collected changes.
    private var collected: UInt64 = 0
    /// The number up to which all changes are stored.
    private(set) var stored: UInt64 = 0

    /// The number of collected changes that may be unstored at a time.
    private static let unstoredLimit: UInt64 = 16

    /// Starts with files that are stored.
    init(_ image: DiskImage) { counts = image.files.mapValues { $0.count } }

    /// Returns the number of the changes that contain everything that was written to these files so far.
    func newest(_ files: [String: VirtualFile]) -> UInt64 { hasChanges(files) ? collected + 1 : collected }

    private func hasChanges(_ files: [String: VirtualFile]) -> Bool {
        files.count != counts.count
            || files.contains { path, file in file.hasChanges || counts[path] != file.content.count }
    }

    /// Returns the changes, or nil if there are none or too many are unstored.
    mutating func collect(_ files: [String: VirtualFile]) -> DiskChanges? {
        guard collected - stored < ChangeTracker.unstoredLimit, hasChanges(files) else { return nil }
        var written: [FileChange] = []
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            let count = file.content.count
            guard file.hasChanges || counts[path] != count else { continue }
            written.append(FileChange(path: path, count: count, blocks: file.collectBlocks()))
        }
        let removed = counts.keys.filter { files[$0] == nil }.sorted()
        counts = files.mapValues { $0.content.count }
        collected += 1
        return DiskChanges(number: collected, removed: removed, written: written)
    }

    /// Records that all changes up to `number` are stored. Returns false if that was known, or if there are no
    /// changes of this number.
    mutating func markStored(upTo number: UInt64) -> Bool {
        guard number > stored, number <= collected else { return false }
        stored = number
        return true
    }
}
