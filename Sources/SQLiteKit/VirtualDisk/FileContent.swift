/// The bytes of a file in memory, in copy-on-write blocks: a copy of the file costs one reference per block.
struct FileContent: Equatable {
    /// Each block has `blockSize` bytes; those beyond `count` are zero.
    private var blocks: [[UInt8]] = []
    /// The length of the file in bytes.
    private(set) var count = 0

    /// The number of bytes in a block.
    static let blockSize = 4096
    private static let zeros = [UInt8](repeating: 0, count: blockSize)

    /// An empty file.
    init() {}

    /// A file of these blocks; nil if they aren't exactly the blocks of a file with `count` bytes.
    init?(count: Int, blocks: [[UInt8]]) {
        guard count >= 0, count <= blocks.count * FileContent.blockSize,
            FileContent.blocks(of: 0..<count).count == blocks.count,
            blocks.allSatisfy({ $0.count == FileContent.blockSize })
        else { return nil }
        let rest = blocks.count * FileContent.blockSize - count
        guard blocks.last?.suffix(rest).allSatisfy({ $0 == 0 }) ?? true else { return nil }
        self.blocks = blocks
        self.count = count
    }

    /// The number of blocks.
    var blockCount: Int { blocks.count }

    /// Returns the blocks that contain the bytes of `range`, which must not be empty unless it is at 0.
    static func blocks(of range: Range<Int>) -> Range<Int> {
        range.lowerBound / blockSize..<(range.upperBound + blockSize - 1) / blockSize
    }

    /// Returns a block's bytes; zeros beyond the end of the file.
    func block(_ index: Int) -> [UInt8] { blocks.indices.contains(index) ? blocks[index] : FileContent.zeros }

    /// Copies the bytes at `offset`, up to the end of the file. Returns their number.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let end = offset + max(0, min(buffer.count, count - offset))
        FileContent.forEachPart(of: offset..<end) { index, part, partOffset in
            blocks[index].withUnsafeBytes { block in
                UnsafeMutableRawBufferPointer(rebasing: buffer[partOffset...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[part]))
            }
        }
        return end - offset
    }

    /// Appends the bytes of `range`, which must lie within the file.
    func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        FileContent.forEachPart(of: range) { index, part, _ in bytes.append(contentsOf: blocks[index][part]) }
    }

    /// Writes bytes at `offset`, and makes the file longer if needed.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        resize(max(count, offset + bytes.count))
        FileContent.forEachPart(of: offset..<(offset + bytes.count)) { index, part, partOffset in
            blocks[index].withUnsafeMutableBytes { block in
                UnsafeMutableRawBufferPointer(rebasing: block[part])
                    .copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[partOffset..<(partOffset + part.count)]))
            }
        }
    }

    /// Splits `range` at block boundaries. Calls `body` with the block, the part within it, and the part's
    /// offset in `range`.
    private static func forEachPart(
        of range: Range<Int>, _ body: (_ block: Int, _ part: Range<Int>, _ partOffset: Int) -> Void
    ) {
        var position = range.lowerBound
        while position < range.upperBound {
            let (index, first) = position.quotientAndRemainder(dividingBy: blockSize)
            let length = min(range.upperBound - position, blockSize - first)
            body(index, first..<(first + length), position - range.lowerBound)
            position += length
        }
    }

    /// Shortens the file, or fills it with zeros to the new length.
    mutating func resize(_ newCount: Int) {
        let needed = FileContent.blocks(of: 0..<newCount).count
        if needed > blocks.count {
            blocks.append(contentsOf: repeatElement(FileContent.zeros, count: needed - blocks.count))
        } else if newCount < count {
            blocks.removeLast(blocks.count - needed)
            let rest = newCount % FileContent.blockSize
            if rest > 0 {
                for index in rest..<FileContent.blockSize { blocks[needed - 1][index] = 0 }
            }
        }
        count = newCount
    }

    /// Replaces `range` of a block by the same range of `bytes`. Bytes beyond the end of the file stay zero.
    mutating func replace(_ range: Range<Int>, ofBlock index: Int, by bytes: [UInt8]) {
        guard blocks.indices.contains(index) else { return }
        for offset in range where index * FileContent.blockSize + offset < count {
            blocks[index][offset] = bytes[offset]
        }
    }
}
