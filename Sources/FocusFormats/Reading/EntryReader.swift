/// Reads a file of one format, however it is cut into pieces.
protocol EntryReader {
    /// Reads on. `take` is given what is found.
    mutating func read(_ bytes: ArraySlice<UInt8>, _ take: (FoundEntry) -> Void) throws(BadFile)
    /// Says that the file has ended.
    mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile)
}

/// What a file may hold.
package enum FileLimits {
    /// The longest line, field or element, in bytes.
    static let piece = 1 << 20
    /// The most bytes that a file of a history may have.
    package static let file = 1 << 30
    /// The most entries that may be taken from one file.
    package static let entries = 2_000_000
}
