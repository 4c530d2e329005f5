import FocusText

/// A reader that cuts a JSON array into the texts of its elements. It finds the ends of elements by brackets
/// and quotes, without parsing them.
///
/// An element with unmatched brackets or quotes is skipped up to a line that begins with `{`. Elements begin
/// with such a line, and no other part of an element does.
struct ElementReader {
    /// An element of the array.
    struct Element {
        let text: [UInt8]
        /// The first line of the element, from 1.
        let line: Int
        /// The problem with its brackets and quotes; nil if there is none.
        let problem: FileFormatError?
    }

    private enum State: Equatable {
        /// Before the array.
        case outside
        /// Between elements: one may begin, or the array may end.
        case between
        /// In an element.
        case within
        /// In a string of an element; `escaped` after a backslash.
        case quoted(escaped: Bool)
        /// After the array.
        case after
        /// In a part that is skipped.
        case skipping
    }

    private static let depthLimit = JSON.depthLimit

    private var state = State.outside
    private var element: [UInt8] = []
    /// The closing brackets that the element still needs.
    private var brackets: [UInt8] = []
    private var line = 1
    /// Whether the line has only had spaces so far.
    private var isLineBlank = true
    /// The first line of the element.
    private var first = 1
    /// The number of bytes of a byte order mark that have come, out of three.
    private var markLength = 0

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Passes each element that ends within `bytes` to `body`, and each problem with the array.
    ///
    /// - Throws: `FileFormatError` if the file is no array.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<Element, FileFormatError>) -> Void
    ) throws(FileFormatError) {
        for byte in bytes {
            try read(byte, body)
            if byte == UInt8(ascii: "\n") {
                line += 1
                isLineBlank = true
            } else if byte > 0x20 {
                isLineBlank = false
            }
        }
    }

    /// Ends the file, and passes an incomplete element or a problem to `body`.
    mutating func finish(_ body: (Result<Element, FileFormatError>) -> Void) {
        switch state {
        case .outside, .after, .skipping: return
        case .within where brackets.isEmpty:
            // The last element is complete. Only the end of the array is missing.
            body(.success(Element(text: element, line: first, problem: nil)))
            body(.failure(FileFormatError(line: line, "the file ends within its list")))
        case .between: body(.failure(FileFormatError(line: line, "the file ends within its list")))
        case .within, .quoted: fail("it never ends", body)
        }
    }

    private mutating func read(
        _ byte: UInt8, _ body: (Result<Element, FileFormatError>) -> Void
    ) throws(FileFormatError) {
        let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
        let beginsElement = isLineBlank && byte == UInt8(ascii: "{")
        switch state {
        case .outside:
            if isSpace || isInMark(byte) { return }
            guard byte == UInt8(ascii: "[") else {
                throw FileFormatError(line: line, "a list of intervals begins with '['")
            }
            state = .between
        case .between:
            // Some versions of Timewarrior also wrote a comma after the last element.
            if isSpace || byte == UInt8(ascii: ",") { return }
            if byte == UInt8(ascii: "]") {
                state = .after
            } else {
                begin()
                readWithin(byte, body)
            }
        case .within where beginsElement, .quoted where beginsElement:
            fail("it never ends", body)
            begin()
            readWithin(byte, body)
        case .within: readWithin(byte, body)
        case .quoted(let escaped):
            if byte == UInt8(ascii: "\n") { return fail("a quote that opens in it is never closed", body) }
            append(byte, body)
            guard state != .skipping else { return }
            if escaped {
                state = .quoted(escaped: false)
            } else if byte == UInt8(ascii: "\\") {
                state = .quoted(escaped: true)
            } else if byte == UInt8(ascii: "\"") {
                state = .within
            }
        case .after:
            if isSpace || isInMark(byte) { return }
            body(.failure(FileFormatError(line: line, "there is more after the list")))
            state = .skipping
        case .skipping:
            guard beginsElement else { return }
            begin()
            readWithin(byte, body)
        }
    }

    /// Begins an element on the present line.
    private mutating func begin() {
        first = line
        element.removeAll(keepingCapacity: true)
        brackets = []
        state = .within
    }

    /// Reads a byte of an element outside of strings.
    private mutating func readWithin(_ byte: UInt8, _ body: (Result<Element, FileFormatError>) -> Void) {
        switch byte {
        case UInt8(ascii: "]") where brackets.isEmpty, UInt8(ascii: ",") where brackets.isEmpty:
            state = byte == UInt8(ascii: ",") ? .between : .after
            return body(.success(Element(text: element, line: first, problem: nil)))
        case UInt8(ascii: "\""): state = .quoted(escaped: false)
        case UInt8(ascii: "{"): brackets.append(UInt8(ascii: "}"))
        case UInt8(ascii: "["): brackets.append(UInt8(ascii: "]"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if brackets.popLast() != byte {
                element.append(byte)
                return fail("its brackets don't match", body)
            }
        default: break
        }
        if brackets.count > ElementReader.depthLimit { return fail("nested too deep", body) }
        append(byte, body)
    }

    /// Adds a byte to the element, or skips the element if it is too long.
    private mutating func append(_ byte: UInt8, _ body: (Result<Element, FileFormatError>) -> Void) {
        if element.count < FileLimits.piece {
            element.append(byte)
        } else {
            element = []
            body(
                .failure(
                    FileFormatError(line: first, "the interval is longer than \(FileLimits.piece >> 20) MiB"))
            )
            state = .skipping
        }
    }

    /// Passes the incomplete element with its problem to `body`.
    private mutating func fail(_ problem: String, _ body: (Result<Element, FileFormatError>) -> Void) {
        let problem = FileFormatError(line: first, "the interval is not JSON: \(problem)")
        body(.success(Element(text: element, line: first, problem: problem)))
        state = .skipping
    }

    /// Whether a byte is the next one of a byte order mark. Updates `markLength`.
    private mutating func isInMark(_ byte: UInt8) -> Bool {
        guard byte == ElementReader.byteOrderMark[markLength] else {
            markLength = 0
            return false
        }
        markLength = (markLength + 1) % 3
        return true
    }
}
