/// Cuts a JSON array into the texts of its elements, without reading those: where they end is a matter of brackets
/// and quotes.
struct ElementReader {
    private enum Place {
        /// Before the array.
        case outside
        /// Where an element may begin, or the array end.
        case before
        /// In an element, so many brackets deep.
        case within(depth: Int)
        /// In a string of an element, behind a backslash or not.
        case quoted(depth: Int, escaped: Bool)
        /// After the array.
        case behind
    }

    private var place = Place.outside
    private var element: [UInt8] = []
    private var line = 1
    /// The line that the element begins on.
    private var first = 1

    /// Gives the elements that end within `bytes`, each with the line it begins on.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: ([UInt8], Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        for byte in bytes {
            try read(byte, body)
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
    }

    /// Makes sure that the array, if there was any, has ended.
    func finish() throws(BadFile) {
        switch place {
        case .outside, .behind: return
        case .before, .within, .quoted: throw BadFile(line: line, "the file ends within its list")
        }
    }

    private mutating func read(
        _ byte: UInt8, _ body: ([UInt8], Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
        switch place {
        case .outside:
            if isSpace { return }
            guard byte == UInt8(ascii: "[") else {
                throw BadFile(line: line, "a list of intervals begins with '['")
            }
            place = .before
        case .before:
            // Some versions of Timewarrior wrote a comma after the last element too.
            if isSpace || byte == UInt8(ascii: ",") { return }
            if byte == UInt8(ascii: "]") {
                place = .behind
                return
            }
            first = line
            place = .within(depth: 0)
            try read(byte, body)
        case .within(let depth): try readWithin(byte, depth, body)
        case .quoted(let depth, let escaped):
            try append(byte)
            if escaped {
                place = .quoted(depth: depth, escaped: false)
            } else if byte == UInt8(ascii: "\\") {
                place = .quoted(depth: depth, escaped: true)
            } else if byte == UInt8(ascii: "\"") {
                place = .within(depth: depth)
            }
        case .behind:
            guard isSpace else { throw BadFile(line: line, "there is more after the list") }
        }
    }

    private mutating func readWithin(
        _ byte: UInt8, _ depth: Int, _ body: ([UInt8], Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        switch byte {
        case UInt8(ascii: "]") where depth == 0, UInt8(ascii: ",") where depth == 0:
            place = byte == UInt8(ascii: ",") ? .before : .behind
            let whole = element
            element.removeAll(keepingCapacity: true)
            return try body(whole, first)
        case UInt8(ascii: "\""): place = .quoted(depth: depth, escaped: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["): place = .within(depth: depth + 1)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): place = .within(depth: max(0, depth - 1))
        default: break
        }
        try append(byte)
    }

    private mutating func append(_ byte: UInt8) throws(BadFile) {
        guard element.count < FileLimits.piece else {
            throw BadFile(line: first, "the interval is longer than \(FileLimits.piece >> 20) MiB")
        }
        element.append(byte)
    }
}
