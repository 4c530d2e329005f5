/// A file of a `VirtualDisk`: what a program reads back from it, and what of that a loss of power can take.
///
/// A sector is written whole or not at all; sectors of one write may be lost each for itself, so that a write can be
/// torn. Bytes that were synced survive whatever is written beside them later (SQLite's "powersafe overwrite").
final class VirtualFile {
    /// What the programs of the machine see.
    private(set) var content: FileContent
    /// How long the file was when it was last synced.
    private var syncedCount: Int
    /// The blocks that were written since, as they were before.
    private var before: [Int: [UInt8]] = [:]
    /// Whether the machine has lost power, or the program that had it open was killed.
    var isLost = false
    /// Who has it open.
    var handles: [OpenVirtualFile] = []
    /// What the connections of a database share in WAL mode.
    var shared: [UnsafeMutableRawPointer] = []

    private static let sector = 512

    init(_ content: FileContent = FileContent()) {
        self.content = content
        syncedCount = content.count
    }

    deinit { freeShared() }

    /// The same file, as programs find it that start now.
    func reopened() -> VirtualFile {
        let file = VirtualFile(content)
        file.syncedCount = syncedCount
        file.before = before
        return file
    }

    /// Lets go of what the connections shared.
    func freeShared() {
        for region in shared { region.deallocate() }
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
        keepBlocks(offset..<(offset + bytes.count))
        content.write(bytes, at: offset)
    }

    /// Cuts the file off, or lengthens it with zeros.
    func truncate(to count: Int) {
        if count < content.count { keepBlocks(count..<content.count) }
        content.resize(count)
    }

    /// Makes what was written survive a loss of power.
    func sync() {
        syncedCount = content.count
        before.removeAll(keepingCapacity: true)
    }

    /// The file as it is found after the power was lost.
    func afterPowerLoss(using random: inout some RandomNumberGenerator) -> FileContent {
        let fate = Fate.allCases.randomElement(using: &random) ?? .lost
        guard fate != .kept else { return content }
        var found = content
        let isLengthKept = fate == .torn && Bool.random(using: &random)
        found.resize(isLengthKept ? content.count : syncedCount)
        for (block, old) in before.sorted(by: { $0.key < $1.key }) {
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

    /// Remembers what the blocks of these bytes were when the file was last synced.
    private func keepBlocks(_ range: Range<Int>) {
        let size = FileContent.blockSize
        for block in (range.lowerBound / size)...((range.upperBound - 1) / size) where before[block] == nil {
            before[block] = content.block(block)
        }
    }
}
