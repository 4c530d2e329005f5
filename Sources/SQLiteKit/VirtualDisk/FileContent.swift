/// The bytes of a file in memory, in blocks that copies share until one of them is written to: a copy costs a
/// reference a block.
struct FileContent: Equatable {
    /// Each has `blockSize` bytes; what lies beyond `count` is zero.
    private var blocks: [[UInt8]] = []
    /// How long the file is.
    private(set) var count = 0

    /// How many bytes a block has.
    static let blockSize = 4096
    private static let zeros = [UInt8](repeating: 0, count: blockSize)

    /// A block's bytes, zeros beyond the end of the file.
    func block(_ index: Int) -> [UInt8] { blocks.indices.contains(index) ? blocks[index] : FileContent.zeros }

    /// Copies as many of the bytes at `offset` as there are, and says how many.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let end = offset + max(0, min(buffer.count, count - offset))
        FileContent.forEachPart(of: offset..<end) { index, part, place in
            blocks[index].withUnsafeBytes { block in
                UnsafeMutableRawBufferPointer(rebasing: buffer[place...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[part]))
            }
        }
        return end - offset
    }

    /// Adds bytes that it has to those of an array.
    func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        FileContent.forEachPart(of: range) { index, part, _ in bytes.append(contentsOf: blocks[index][part]) }
    }

    /// Puts bytes at `offset`, lengthening the file where it ends before.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        resize(max(count, offset + bytes.count))
        FileContent.forEachPart(of: offset..<(offset + bytes.count)) { index, part, place in
            blocks[index].withUnsafeMutableBytes { block in
                UnsafeMutableRawBufferPointer(rebasing: block[part])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[place..<(place + part.count)]))
            }
        }
    }

    /// Gives a range of the file block by block: which block, what part of it, and how far into the range that begins.
    private static func forEachPart(
        of range: Range<Int>, _ body: (_ block: Int, _ part: Range<Int>, _ place: Int) -> Void
    ) {
        var place = range.lowerBound
        while place < range.upperBound {
            let (index, first) = place.quotientAndRemainder(dividingBy: blockSize)
            let length = min(range.upperBound - place, blockSize - first)
            body(index, first..<(first + length), place - range.lowerBound)
            place += length
        }
    }

    /// Cuts the file off, or lengthens it with zeros.
    mutating func resize(_ newCount: Int) {
        let needed = (newCount + FileContent.blockSize - 1) / FileContent.blockSize
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

    /// Puts another block's bytes from `range` on in place of a block's.
    mutating func replace(_ range: Range<Int>, ofBlock index: Int, by bytes: [UInt8]) {
        guard blocks.indices.contains(index) else { return }
        for place in range where index * FileContent.blockSize + place < count {
            blocks[index][place] = bytes[place]
        }
    }
}
