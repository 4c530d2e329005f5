/// A buffer that splits arriving bytes into lines. Of a line that is too long it keeps only the beginning, so
/// one line can't use unlimited memory.
package struct LineBuffer: Sendable {
    /// The longest line, in bytes without its newline.
    private let limit: Int
    /// The complete lines that weren't removed yet, in reverse order.
    private var lines: [[UInt8]] = []
    /// The beginning of the incomplete line.
    private var line: [UInt8] = []

    /// Whether the incomplete line is too long already.
    package private(set) var isOverfull = false

    /// An empty buffer.
    ///
    /// - Parameter limit: The longest line, in bytes without its newline. Longer lines are cut off there.
    package init(limit: Int) { self.limit = limit }

    /// Appends bytes that have arrived.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        var ended: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                ended.append(line)
                line = []
                isOverfull = false
            } else if line.count < limit {
                line.append(byte)
            } else {
                isOverfull = true
            }
        }
        if !ended.isEmpty { lines = ended.reversed() + lines }
    }

    /// Removes and returns the first complete line, without its newline; nil if there is none.
    package mutating func next() -> [UInt8]? { lines.popLast() }
}
