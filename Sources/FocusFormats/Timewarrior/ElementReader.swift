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

    private enum Place: Equatable {
        /// Before the array.
        case outside
        /// Between elements: one may begin, or the array may end.
        case before
        /// In an element.
        case within
        /// In a string of an element; `escaped` after a backslash.
        case quoted(escaped: Bool)
        /// After the array.
        case behind
        /// In a part that is skipped.
        case passing
    }

    private static let deepest = JSON.depthLimit

    private var place = Place.outside
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
        switch place {
        case .outside, .behind, .passing: return
        case .within where brackets.isEmpty:
            body(.success(Element(text: element, line: first, problem: nil)))
            body(.failure(FileFormatError(line: line, "the file ends within its list")))
        case .before: body(.failure(FileFormatError(line: line, "the file ends within its list")))
        case .within, .quoted: giveUp("it never ends", body)
        }
    }

    private mutating func read(
        _ byte: UInt8, _ body: (Result<Element, FileFormatError>) -> Void
    ) throws(FileFormatError) {
        let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
        let beginsElement = isLineBlank && byte == UInt8(ascii: "{")
        switch place {
        case .outside:
            if isSpace || isInMark(byte) { return }
            guard byte == UInt8(ascii: "[") else {
                throw FileFormatError(line: line, "a list of intervals begins with '['")
            }
            place = .before
        case .before:
            // Some versions of Timewarrior also wrote a comma after the last element.
            if isSpace || byte == UInt8(ascii: ",") { return }
            if byte == UInt8(ascii: "]") {
                place = .behind
            } else {
                begin()
                readWithin(byte, body)
            }
        case .within where beginsElement && !element.isEmpty, .quoted where beginsElement:
            giveUp("it never ends", body)
            begin()
            readWithin(byte, body)
        case .within: readWithin(byte, body)
        case .quoted(let escaped):
            if byte == UInt8(ascii: "\n") { return giveUp("a quote that opens in it is never closed", body) }
            append(byte, body)
            guard place != .passing else { return }
            if escaped {
                place = .quoted(escaped: false)
            } else if byte == UInt8(ascii: "\\") {
                place = .quoted(escaped: true)
            } else if byte == UInt8(ascii: "\"") {
                place = .within
            }
        case .behind:
            if isSpace || isInMark(byte) { return }
            body(.failure(FileFormatError(line: line, "there is more after the list")))
            place = .passing
        case .passing:
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
        place = .within
    }

    /// Reads a byte of an element outside of strings.
    private mutating func readWithin(_ byte: UInt8, _ body: (Result<Element, FileFormatError>) -> Void) {
        switch byte {
        case UInt8(ascii: "]") where brackets.isEmpty, UInt8(ascii: ",") where brackets.isEmpty:
            place = byte == UInt8(ascii: ",") ? .before : .behind
            return body(.success(Element(text: element, line: first, problem: nil)))
        case UInt8(ascii: "\""): place = .quoted(escaped: false)
        case UInt8(ascii: "{"): brackets.append(UInt8(ascii: "}"))
        case UInt8(ascii: "["): brackets.append(UInt8(ascii: "]"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if brackets.popLast() != byte {
                element.append(byte)
                return giveUp("its brackets don't match", body)
            }
        default: break
        }
        if brackets.count > ElementReader.deepest { return giveUp("nested too deep", body) }
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
            place = .passing
        }
    }

    /// Passes the incomplete element with its problem to `body`.
    private mutating func giveUp(_ problem: String, _ body: (Result<Element, FileFormatError>) -> Void) {
        let problem = FileFormatError(line: first, "the interval is not JSON: \(problem)")
        body(.success(Element(text: element, line: first, problem: problem)))
        place = .passing
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
