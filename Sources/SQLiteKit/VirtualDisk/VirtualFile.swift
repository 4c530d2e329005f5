/// A file of a `VirtualDisk`: what a program reads back from it, and what of that a loss of power can take.
///
/// A sector is written whole or not at all; sectors of one write may be lost each for itself, so that a write can be
/// torn. Bytes that were synced survive whatever is written beside them later (SQLite's "powersafe overwrite").
final class VirtualFile {
    /// What the programs of the machine see.
    private(set) var content: FileContent
    /// How long the file was when it was last synced.
    private var syncedCount: Int
    /// What was written over since; nil where nobody will ask.
    private var overwritten: Overwritten?
    /// Whether the machine has lost power, or the program that had it open was killed.
    var isLost = false
    /// Who has it open.
    var handles: [OpenVirtualFile] = []
    /// What the connections of a database share in WAL mode.
    var shared: [UnsafeMutableRawPointer] = []
    /// Whether a program that was ended may still touch that: then it stays as long as the file.
    var keepsShared = false
    private var oldShared: [UnsafeMutableRawPointer] = []

    private static let sector = 512

    /// - Parameter canLosePower: whether it has to remember what was synced.
    init(_ content: FileContent = FileContent(), canLosePower: Bool) {
        self.content = content
        overwritten = canLosePower ? Overwritten() : nil
        syncedCount = content.count
    }

    deinit { for region in shared + oldShared { region.deallocate() } }

    /// The same file, as programs find it that start now.
    func reopened() -> VirtualFile {
        let file = VirtualFile(content, canLosePower: overwritten != nil)
        file.syncedCount = syncedCount
        file.overwritten = overwritten
        return file
    }

    /// Lets go of what the connections shared.
    func freeShared() {
        if keepsShared { oldShared += shared } else { for region in shared { region.deallocate() } }
        shared = []
    }

    /// Copies the bytes at `offset` to `buffer`, and zeros where the file has ended. Says whether all were there.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        let count = content.read(buffer, at: offset)
        guard count < buffer.count else { return true }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(
            as: UInt8.self, repeating: 0)
        return false
    }

    /// Puts bytes at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard !bytes.isEmpty else { return }
        overwritten?.append(offset..<(offset + bytes.count), of: content)
        content.write(bytes, at: offset)
    }

    /// Cuts the file off, or lengthens it with zeros.
    func truncate(to count: Int) {
        if count < content.count { overwritten?.append(count..<content.count, of: content) }
        content.resize(count)
    }

    /// Makes what was written survive a loss of power.
    func sync() {
        syncedCount = content.count
        overwritten?.removeAll()
    }

    /// The file as it is found after the power was lost.
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

    /// What a loss of power does to what wasn't synced.
    private enum Fate: CaseIterable {
        case kept, lost
        /// Each sector is kept or lost for itself.
        case torn
    }

    /// The file as it was last synced.
    private func synced(_ overwritten: Overwritten) -> FileContent {
        var content = content
        overwritten.putBack(into: &content)
        content.resize(syncedCount)
        return content
    }
}

/// What was written over since a file was last synced: the old bytes of each write, one after the other.
private struct Overwritten {
    /// Where each write was, and how many of its bytes the file had before.
    private var writes: [(place: Range<Int>, oldCount: Int)] = []
    private var oldBytes: [UInt8] = []

    /// Remembers what is about to be written over.
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
        let size = FileContent.blockSize
        return Set(writes.lazy.flatMap { $0.place.lowerBound / size...($0.place.upperBound - 1) / size })
            .sorted()
    }

    /// Undoes the writes, the last one first.
    func putBack(into content: inout FileContent) {
        var end = oldBytes.count
        for (place, oldCount) in writes.reversed() {
            oldBytes[(end - oldCount)..<end].withUnsafeBytes { content.write($0, at: place.lowerBound) }
            end -= oldCount
        }
    }
}
