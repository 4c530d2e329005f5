import CSQLite

/// A file of a `VirtualDisk`: its content, and the parts of it that a loss of power can take.
///
/// A sector is written completely or not at all. Each sector of a write may be lost independently, so a write
/// can be torn. Synced bytes survive later writes beside them (SQLite's "powersafe overwrite").
final class VirtualFile {
    /// The content that programs read.
    private(set) var content: FileContent
    /// The file's length at the last sync.
    private var syncedCount: Int
    /// The bytes that were overwritten since the last sync; nil if power loss isn't simulated.
    private var overwritten: UndoJournal?
    /// The blocks that changed since changes were last collected; nil if nobody collects them.
    private var changed: Set<Int>?
    /// Whether the machine has stopped since this object was made. Its open handles can't be used any more.
    var isLost = false
    /// The connections' open files.
    var handles: [VirtualFileHandle] = []
    /// The memory that the connections share in WAL mode.
    var shared: [UnsafeMutableRawPointer] = []
    /// Whether an ended program may still touch the shared memory, which is then freed only with this object.
    var keepsShared = false
    /// Released shared memory that an ended program may still touch.
    private var oldShared: [UnsafeMutableRawPointer] = []

    /// The size of a sector, in bytes.
    private static let sector = 512

    /// - Parameters:
    ///   - canLosePower: Whether to remember overwritten bytes until the next sync.
    ///   - changed: The blocks that changed since changes were last collected; nil if nobody collects them.
    init(_ content: FileContent = FileContent(), canLosePower: Bool, changed: Set<Int>? = nil) {
        self.content = content
        self.changed = changed
        overwritten = canLosePower ? UndoJournal() : nil
        syncedCount = content.count
    }

    deinit { for region in shared + oldShared { region.deallocate() } }

    /// Returns the same file for programs that start now.
    func reopened() -> VirtualFile {
        let file = VirtualFile(content, canLosePower: overwritten != nil, changed: changed)
        file.syncedCount = syncedCount
        file.overwritten = overwritten
        return file
    }

    /// Frees the connections' shared memory, or sets it aside if `keepsShared` is true.
    func freeShared() {
        if keepsShared { oldShared += shared } else { for region in shared { region.deallocate() } }
        shared = []
    }

    /// Copies the bytes at `offset` to `buffer`, then zeros. Returns whether the file has all of them.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        let count = content.read(buffer, at: offset)
        guard count < buffer.count else { return true }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(
            as: UInt8.self, repeating: 0)
        return false
    }

    /// Writes bytes at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard !bytes.isEmpty else { return }
        overwritten?.append(offset..<(offset + bytes.count), of: content)
        changed?.formUnion(FileContent.blocks(of: min(offset, content.count)..<(offset + bytes.count)))
        content.write(bytes, at: offset)
    }

    /// Shortens the file, or fills it with zeros to the new length.
    func truncate(to count: Int) {
        guard count != content.count else { return }
        if count < content.count { overwritten?.append(count..<content.count, of: content) }
        changed?.formUnion(FileContent.blocks(of: min(count, content.count)..<max(count, content.count)))
        content.resize(count)
        changed = changed?.filter { $0 < content.blockCount }
    }

    /// Whether a connection is about to write.
    var isBeingWritten: Bool { handles.contains { $0.level >= SQLITE_LOCK_RESERVED } }
    /// Whether a block changed since changes were last collected.
    var hasChanges: Bool { changedCount > 0 }
    /// The number of blocks that changed since changes were last collected.
    var changedCount: Int { changed?.count ?? 0 }

    /// Counts all blocks as changed, because the file has another path now.
    func markChanged() { changed?.formUnion(0..<content.blockCount) }

    /// Returns the changed blocks, which count as unchanged from now on.
    func collectBlocks() -> [FileChange.Block] {
        defer { changed?.removeAll() }
        return (changed ?? []).sorted().map { FileChange.Block(index: $0, bytes: content.block($0)) }
    }

    /// Makes all written bytes durable.
    func sync() {
        syncedCount = content.count
        overwritten?.removeAll()
    }

    /// Returns the content after a loss of power.
    func afterPowerLoss(using random: inout some RandomNumberGenerator) -> FileContent {
        let fate = Fate.allCases.randomElement(using: &random) ?? .lost
        guard fate != .kept, let overwritten else { return content }
        var found = content
        let isLengthKept = fate == .torn && Bool.random(using: &random)
        found.resize(isLengthKept ? content.count : syncedCount)
        let synced = synced(overwritten)
        for block in overwritten.blocks {
            let old = synced.block(block)
            for first in stride(from: 0, to: FileContent.blockSize, by: VirtualFile.sector) {
                let isWritten = block * FileContent.blockSize + first < content.count
                let isKept = fate == .torn && Bool.random(using: &random) && isWritten
                if !isKept { found.replace(first..<(first + VirtualFile.sector), ofBlock: block, by: old) }
            }
        }
        return found
    }

    /// The fate of unsynced writes when the power is lost.
    private enum Fate: CaseIterable {
        case kept, lost
        /// Each sector is kept or lost independently.
        case torn
    }

    /// Returns the content at the last sync.
    private func synced(_ overwritten: UndoJournal) -> FileContent {
        var content = content
        overwritten.undo(into: &content)
        content.resize(syncedCount)
        return content
    }
}

/// The old bytes of each write since a file was last synced, in the order of the writes.
private struct UndoJournal {
    /// The range of each write, and the number of its bytes that the file had before.
    private var writes: [(place: Range<Int>, oldCount: Int)] = []
    /// The old bytes of all writes, one after the other.
    private var oldBytes: [UInt8] = []

    /// Remembers the bytes that are about to be overwritten.
    mutating func append(_ place: Range<Int>, of content: FileContent) {
        let old = place.clamped(to: 0..<content.count)
        content.append(old, to: &oldBytes)
        writes.append((place, old.count))
    }

    mutating func removeAll() {
        writes.removeAll(keepingCapacity: true)
        oldBytes.removeAll(keepingCapacity: true)
    }

    /// The blocks that were written to, in order.
    var blocks: [Int] {
        Set(writes.lazy.flatMap { FileContent.blocks(of: $0.place) }).sorted()
    }

    /// Undoes the writes, the last one first.
    func undo(into content: inout FileContent) {
        var end = oldBytes.count
        for (place, oldCount) in writes.reversed() {
            oldBytes[(end - oldCount)..<end].withUnsafeBytes { content.write($0, at: place.lowerBound) }
            end -= oldCount
        }
    }
}
