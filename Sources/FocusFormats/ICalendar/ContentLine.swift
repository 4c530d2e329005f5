/// A line of a calendar: a property with its name, parameters and value (RFC 5545 §3.1).
struct ContentLine {
    /// The name, in capitals.
    let name: String
    /// The last value of each parameter, by the parameter's name in capitals.
    let parameters: [String: String]
    /// The value as it was written. Bytes that aren't UTF-8 are replaced.
    let value: String
    /// The line's number, from 1.
    let number: Int
    /// Whether the line is UTF-8. A line that was cut off at `FileLimits.piece` counts as UTF-8.
    private let isUTF8: Bool

    init(_ bytes: [UInt8], _ number: Int) throws(FileFormatError) {
        // The line may have been cut in the middle of a character.
        let valid = bytes.count < FileLimits.piece ? String(validating: bytes, as: UTF8.self) : nil
        isUTF8 = valid != nil || bytes.count == FileLimits.piece
        let text = valid ?? String(decoding: bytes, as: UTF8.self)
        var rest = text.unicodeScalars[...]
        let isName = { (scalar: Unicode.Scalar) in
            scalar == "-" || scalar == "." || scalar == "_"
                || (scalar.isASCII
                    && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
        }
        let name = rest.prefix(while: isName)
        rest = rest[name.endIndex...]
        var parameters: [String: String] = [:]
        while rest.first == ";" {
            let key = rest.dropFirst().prefix(while: isName)
            rest = rest[key.endIndex...]
            guard !key.isEmpty, rest.first == "=" else {
                throw FileFormatError(line: number, "a parameter is not NAME=VALUE")
            }
            repeat {
                let value = try ContentLine.parameter(&rest, number)
                parameters[String(key).uppercased()] = value
            } while rest.first == ","
        }
        guard !name.isEmpty, rest.first == ":" else {
            throw FileFormatError(line: number, "it is not NAME:VALUE, as lines of calendars are")
        }
        self.name = String(name).uppercased()
        self.parameters = parameters
        value = String(rest.dropFirst())
        self.number = number
    }

    /// Reads a parameter's value, after the `=` or `,` before it.
    private static func parameter(
        _ rest: inout Substring.UnicodeScalarView, _ number: Int
    ) throws(FileFormatError) -> String {
        rest = rest.dropFirst()
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != ";" && $0 != ":" && $0 != "," }
            rest = rest[value.endIndex...]
            return String(value)
        }
        let value = rest.dropFirst().prefix { $0 != "\"" }
        rest = rest[value.endIndex...]
        guard rest.popFirst() == "\"" else {
            throw FileFormatError(line: number, "a quote that opens is never closed")
        }
        return String(value)
    }

    /// Returns the value as TEXT (§3.3.11), unescaped.
    ///
    /// - Throws: `FileFormatError` if the line is not UTF-8.
    func text() throws(FileFormatError) -> String {
        guard isUTF8 else { throw FileFormatError(line: number, "it is not UTF-8") }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                text.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}

/// A reader that joins a calendar's folded lines (§3.1). It works on bytes because
/// a fold may cut a character.
struct ContentLineReader {
    private var lines = LineReader()
    /// The bytes of the unfolded line so far.
    private var line: [UInt8] = []
    /// The number of the first line that was joined to it.
    private var number = 1

    /// Passes each complete line and its number to `body`. A line is cut off at `FileLimits.piece`: no
    /// property that is used here is that long.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: ([UInt8], Int) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var lines = self.lines
        self.lines = LineReader()
        try lines.read(bytes) { (line, number) throws(FileFormatError) in try self.join(line, number, body) }
        self.lines = lines
    }

    /// Passes the last line to `body`.
    mutating func finish(_ body: ([UInt8], Int) throws(FileFormatError) -> Void) throws(FileFormatError) {
        var lines = self.lines
        try lines.finish { (line, number) throws(FileFormatError) in try self.join(line, number, body) }
        try emit(body)
    }

    /// Joins a line of the file to the unfolded line, or begins another one with it.
    private mutating func join(
        _ next: ArraySlice<UInt8>, _ number: Int, _ body: ([UInt8], Int) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        let isFolded = next.first == UInt8(ascii: " ") || next.first == UInt8(ascii: "\t")
        if isFolded, !line.isEmpty {
            line += next.dropFirst().prefix(FileLimits.piece - line.count)
        } else {
            try emit(body)
            line += next.prefix(FileLimits.piece)
            self.number = number
        }
    }

    /// Passes the unfolded line to `body`, unless it is blank.
    private mutating func emit(_ body: ([UInt8], Int) throws(FileFormatError) -> Void) throws(FileFormatError)
    {
        let whole = line
        line.removeAll(keepingCapacity: true)
        if whole.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) { return }
        try body(whole, number)
    }
}
