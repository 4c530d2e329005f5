import FocusCore
import FocusFormats
import FocusText

/// Fuzzes histories in other programs' formats. The first byte is the format, the second the size of the
/// pieces in which the rest is read. The pieces must not change the result. Entries that were read must be
/// the same after writing and reading.
func fuzzHistories(_ input: [UInt8]) throws {
    guard let first = input.first, let second = input.dropFirst().first else { return }
    let formats = HistoryFormat.allCases
    let format = formats[Int(first) % formats.count]
    let bytes = Array(input.dropFirst(2))
    _ = FileFormat(recognising: bytes)
    let whole = read(bytes, format, piece: max(1, bytes.count))
    let cut = read(bytes, format, piece: Int(second) + 1)
    try hold(whole == cut, "how a file is cut doesn't show")
    guard case .success(let all) = whole else { return }
    let found = all.compactMap { found -> HistoryEntry? in
        if case .entry(let entry) = found.content { entry } else { nil }
    }
    // A history has each entry once, in one version.
    var origins: Set<[UInt8]> = []
    let entries = found.filter { entry in
        entry.source.map { origins.insert(SourceVersion($0).origin).inserted } ?? true
    }
    for format in formats {
        let kept = entries.compactMap { format.roundTripped($0, zone: place) }
        let writing = WritingContext(zone: place, isDisarmed: entries.count % 2 == 0)
        var writer = HistoryWriter(format, writing, count: kept.count)
        var text = ""
        writer.write(entries) { text += $0 }
        let again = read(Array(text.utf8), format, piece: 4096)
        try hold(
            again.map { $0.map(\.content) } == .success(kept.map { .entry($0) }),
            "what is written as \(format) is read as it was")
    }
}

/// A zone with clocks that go an hour forward in the middle of each year and back at its end.
private let place = LocalZone { instant in
    let year: Int64 = 31_556_952
    return .seconds((instant.seconds % year + year) % year < year / 2 ? 3600 : 7200)
}

private func read(_ bytes: [UInt8], _ format: HistoryFormat, piece: Int) -> Result<
    [ParsedItem], FileFormatError
> {
    Result { () throws(FileFormatError) in
        var reader = HistoryReader(format, zone: place) { $0 == "Place" ? place : nil }
        var found: [ParsedItem] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.read(Array(rest.prefix(piece))) { found.append($0) }
            rest = rest.dropFirst(piece)
        }
        try reader.finish { found.append($0) }
        return found
    }
}
