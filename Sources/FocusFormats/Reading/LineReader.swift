/// Cuts a file into its lines, which end with a line feed and perhaps a carriage return before it.
struct LineReader {
    private var line: [UInt8] = []
    private var number = 1

    /// Gives the lines that end within `bytes`, without their ends, and their numbers from 1.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if line.isEmpty {
                try give(rest[..<end], body)
            } else {
                line += rest[..<end]
                let whole = line
                line.removeAll(keepingCapacity: true)
                try give(whole[...], body)
            }
            rest = rest[(end + 1)...]
        }
        line += rest
        try check(line.count)
    }

    /// Gives the last line, where nothing ended it.
    mutating func finish(
        _ body: (ArraySlice<UInt8>, Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        guard !line.isEmpty else { return }
        try give(line[...], body)
        line = []
    }

    private mutating func give(
        _ line: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(BadFile) -> Void
    ) throws(BadFile) {
        try check(line.count)
        try body(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, number)
        number += 1
    }

    private func check(_ length: Int) throws(BadFile) {
        guard length <= FileLimits.piece else {
            throw BadFile(line: number, "it is longer than \(FileLimits.piece >> 20) MiB")
        }
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
