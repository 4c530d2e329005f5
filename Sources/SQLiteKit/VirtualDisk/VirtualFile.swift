/// A file of a `VirtualDisk`: what a program reads back from it, and what of that a loss of power can take.
///
/// A sector is written whole or not at all; sectors of one write may be lost each for itself, so that a write can be
/// torn. Bytes that were synced survive whatever is written beside them later (SQLite's "powersafe overwrite").
final class VirtualFile {
    /// What the programs of the machine see.
    private(set) var content: [UInt8]
    /// How long the file was when it was last synced.
    private var syncedCount: Int
    /// The blocks that were written since, as they were before; less or nothing where the file was shorter.
    private var before: [Int: [UInt8]] = [:]
    /// Whether the machine has lost power, or the program that had it open was killed.
    var isLost = false
    /// Who has it open.
    var handles: [OpenVirtualFile] = []
    /// What the connections of a database share in WAL mode.
    var shared: [UnsafeMutableRawPointer] = []

    private static let sector = 512
    private static let block = 4096

    init(_ content: [UInt8] = []) {
        self.content = content
        syncedCount = content.count
    }

    deinit { freeShared() }

    /// Lets go of what the connections shared.
    func freeShared() {
        for region in shared { region.deallocate() }
        shared = []
    }

    /// Copies the bytes at `offset` to `buffer`, and zeros where the file has ended. Says whether all were there.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        let count = max(0, min(buffer.count, content.count - offset))
        content.withUnsafeBytes { bytes in
            guard count > 0 else { return }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
        }
        for index in count..<buffer.count { buffer[index] = 0 }
        return count == buffer.count
    }

    /// Puts bytes at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard !bytes.isEmpty else { return }
        keepBlocks(offset..<(offset + bytes.count))
        resize(max(content.count, offset + bytes.count))
        content.withUnsafeMutableBytes { content in
            UnsafeMutableRawBufferPointer(rebasing: content[offset..<(offset + bytes.count)])
                .copyMemory(from: bytes)
        }
    }

    /// Cuts the file off, or lengthens it with zeros.
    func truncate(to count: Int) {
        if count < content.count { keepBlocks(count..<content.count) }
        resize(count)
    }

    /// Makes what was written survive a loss of power.
    func sync() {
        syncedCount = content.count
        before.removeAll(keepingCapacity: true)
    }

    /// The file as it is found after the power was lost.
    func afterPowerLoss(using random: inout some RandomNumberGenerator) -> [UInt8] {
        let fate = Fate.allCases.randomElement(using: &random) ?? .lost
        guard fate != .kept else { return content }
        var found = content
        let isLengthKept = fate == .torn && Bool.random(using: &random)
        let count = isLengthKept ? content.count : syncedCount
        found.resize(count)
        for (block, old) in before.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: block * Self.block, to: (block + 1) * Self.block, by: Self.sector) {
                let isKept = fate == .torn && Bool.random(using: &random) && start < content.count
                guard !isKept, start < count else { continue }
                let first = start - block * Self.block
                for index in start..<min(start + Self.sector, count) {
                    let place = first + index - start
                    found[index] = place < old.count ? old[place] : 0
                }
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

    private func resize(_ count: Int) { content.resize(count) }

    /// Remembers what the blocks of these bytes were when the file was last synced.
    private func keepBlocks(_ range: Range<Int>) {
        for block in (range.lowerBound / Self.block)...((range.upperBound - 1) / Self.block)
        where before[block] == nil {
            let start = block * Self.block
            let end = min(start + Self.block, syncedCount, content.count)
            before[block] = start < end ? Array(content[start..<end]) : []
        }
    }
}

extension [UInt8] {
    /// Cuts the array off, or lengthens it with zeros.
    fileprivate mutating func resize(_ count: Int) {
        if count < self.count {
            removeLast(self.count - count)
        } else if count > self.count {
            append(contentsOf: repeatElement(0, count: count - self.count))
        }
    }
}
