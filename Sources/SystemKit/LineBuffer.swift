/// Bytes as they come, taken out in lines. However much comes, of a line that is too long only the beginning is kept.
package struct LineBuffer: Sendable {
    /// The longest line, in bytes without its newline.
    private let limit: Int
    /// The lines that have ended and weren't taken yet, the first last.
    private var lines: [[UInt8]] = []
    /// The beginning of the line that hasn't ended yet.
    private var line: [UInt8] = []

    /// Whether the line that hasn't ended yet is too long already.
    package private(set) var isOverfull = false

    /// An empty one.
    ///
    /// - Parameter limit: the longest line, in bytes without its newline. Longer ones are cut off there.
    package init(limit: Int) { self.limit = limit }

    /// Takes in what has come.
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

    /// Takes out the first line that has ended, without its newline; nil where there is none.
    package mutating func next() -> [UInt8]? { lines.popLast() }
}
