/// What reading from the store has taken.
package struct ReadingWork: Hashable, Sendable {
    /// How many rows were stepped to.
    private(set) var rows = 0
    /// How many bytes they had.
    private(set) var bytes = 0

    /// Nothing was read yet.
    package init() {}

    mutating func add(_ bytes: Int) {
        rows += 1
        self.bytes += bytes
    }

    /// What a row costs that has nothing in it, in bytes that are read meanwhile.
    private static let row = 256

    /// How much that is for the one who waits for it: about the bytes that were read.
    package var cost: Int { bytes + rows * ReadingWork.row }
}
