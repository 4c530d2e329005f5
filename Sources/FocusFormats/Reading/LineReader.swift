import FocusText

/// Cuts a file into its lines, which end with a line feed and perhaps a carriage return before it.
struct LineReader {
    /// How much of a line is kept: enough to show that it is longer than lines may be, whatever is left out at its ends.
    private static let kept = FileLimits.piece + 8

    private var line: [UInt8] = []
    private var number = 1

    /// Gives the lines that end within `bytes`, without their ends and byte order marks, and their numbers from 1. Of a
    /// line that is longer than `FileLimits.piece` it gives the beginning, which is longer too.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if line.isEmpty {
                try give(rest[..<end], body)
            } else {
                append(rest[..<end])
                let whole = line
                line.removeAll(keepingCapacity: true)
                try give(whole[...], body)
            }
            rest = rest[(end + 1)...]
        }
        append(rest)
    }

    /// Gives the last line, where nothing ended it.
    mutating func finish(
        _ body: (ArraySlice<UInt8>, Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        guard !line.isEmpty else { return }
        try give(line[...], body)
        line = []
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        line += bytes.prefix(LineReader.kept - line.count)
    }

    private mutating func give(
        _ line: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        let said = line.prefix(LineReader.kept).withoutByteOrderMark
        try body(said.last == UInt8(ascii: "\r") ? said.dropLast() : said, number)
        number += 1
    }
}

extension String {
    /// A file's bytes as text.
    init(file bytes: some Collection<UInt8>, line: Int) throws(BadFile) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw BadFile(line: line, "it is not UTF-8")
        }
        self = text
    }
}
