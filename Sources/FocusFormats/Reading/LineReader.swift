import FocusText

/// A reader that cuts a file into lines, which end with LF or CR LF.
struct LineReader {
    /// The number of bytes of a line that are kept. It is enough to show that the line is too long, even
    /// without its byte order mark and carriage return.
    private static let lengthLimit = FileLimits.piece + 8

    private var line: [UInt8] = []
    private var number = 1

    /// Passes each line that ends within `bytes` to `body`, with its number from 1, without its end
    /// and byte order mark. Of a line longer than `FileLimits.piece` it passes only a beginning,
    /// which also exceeds that limit.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if line.isEmpty {
                try emit(rest[..<end], body)
            } else {
                append(rest[..<end])
                let whole = line
                line.removeAll(keepingCapacity: true)
                try emit(whole[...], body)
            }
            rest = rest[(end + 1)...]
        }
        append(rest)
    }

    /// Passes the last line to `body`, if no line end followed it.
    mutating func finish(
        _ body: (ArraySlice<UInt8>, Int) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        guard !line.isEmpty else { return }
        try emit(line[...], body)
        line = []
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        line += bytes.prefix(LineReader.lengthLimit - line.count)
    }

    private mutating func emit(
        _ line: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        let content = line.prefix(LineReader.lengthLimit).withoutByteOrderMark
        try body(content.last == UInt8(ascii: "\r") ? content.dropLast() : content, number)
        number += 1
    }
}

extension String {
    /// Creates text from a file's bytes.
    ///
    /// - Throws: `FileFormatError` if they are not UTF-8.
    init(file bytes: some Collection<UInt8>, line: Int) throws(FileFormatError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileFormatError(line: line, "it is not UTF-8")
        }
        self = text
    }
}
