/// Values in a row that grows and is cut at its end. They stand in blocks that are never moved, so a long row takes
/// the memory of what it holds and, unlike a growing array, little more.
package struct BlockList<Element: Sendable>: Sendable {
    private static var blockSize: Int { 1024 }

    /// All are full but the last.
    private var blocks: [[Element]] = []
    /// How many values there are.
    package private(set) var count = 0

    /// An empty list.
    package init() {}

    /// Cost: constant.
    package mutating func append(_ element: Element) {
        if count % BlockList.blockSize == 0 {
            var block: [Element] = []
            // The first grows as an array does: most rows are short.
            if count > 0 { block.reserveCapacity(BlockList.blockSize) }
            blocks.append(block)
        }
        blocks[blocks.count - 1].append(element)
        count += 1
    }

    /// Keeps the first `count` values, or all where there are fewer.
    package mutating func cut(to count: Int) {
        while count < self.count, let filled = blocks.last?.count {
            let dropped = min(filled, self.count - count)
            self.count -= dropped
            if dropped == filled {
                blocks.removeLast()
            } else {
                blocks[blocks.count - 1].removeLast(dropped)
            }
        }
    }

    /// The values as one array.
    package var elements: [Element] { Array(blocks.joined()) }
}
