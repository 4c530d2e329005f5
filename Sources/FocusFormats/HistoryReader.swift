package import FocusText

/// Reads a history from a file's bytes, piece by piece. So a long file takes no more memory than its entries do.
package struct HistoryReader {
    private var reader: any EntryReader
    private var length = 0
    /// Bytes at the file's start that may be a byte order mark; nil once that is settled.
    private var start: [UInt8]? = []

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// - Parameter zone: The place whose clocks the file's local times are by.
    package init(_ format: HistoryFormat, zone: LocalZone) {
        reader =
            switch format {
            case .csv: TableReader(CSVTable(zone))
            case .ics: CalendarReader(zone)
            case .timewarrior: TimewarriorReader()
            case .openPomodoro: OpenPomodoroReader()
            case .toggl: TableReader(TogglTable(zone))
            }
    }

    /// Reads on. `take` is given what is found.
    ///
    /// - Throws: `BadFile` where the file is not as the format has it; nothing may be taken in then.
    package mutating func read(_ bytes: [UInt8], _ take: (FoundEntry) -> Void) throws(BadFile) {
        length += bytes.count
        guard length <= FileLimits.file else {
            throw BadFile(line: 1, "the file is longer than \(FileLimits.file >> 20) MiB")
        }
        guard let before = start else { return try reader.read(bytes[...], take) }
        let text = before + bytes
        if text.count < HistoryReader.byteOrderMark.count, HistoryReader.byteOrderMark.starts(with: text) {
            start = text
        } else {
            start = nil
            try reader.read(text.dropFirst(text.starts(with: HistoryReader.byteOrderMark) ? 3 : 0), take)
        }
    }

    /// Says that the file has ended, and reads what was left.
    ///
    /// - Throws: as `read`.
    package mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile) {
        if let start { try reader.read(start[...], take) }
        start = nil
        try reader.finish(take)
    }
}
