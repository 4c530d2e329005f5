package import FocusText

/// A reader of histories that takes a file's bytes in pieces. So a long file takes no
/// more memory than its entries.
package struct HistoryReader {
    private var reader: any EntryReader
    /// The number of bytes read so far.
    private var length = 0

    /// - Parameters:
    ///   - zone: The zone of the file's local times.
    ///   - zones: Returns the system's time zone with a name, or nil if it knows none.
    package init(
        _ format: HistoryFormat, zone: LocalZone, zones: @escaping (String) -> LocalZone? = { _ in nil }
    ) {
        reader =
            switch format {
            case .csv: TableReader(CSVTable(zone))
            case .ics: CalendarReader(CalendarZones(local: zone, system: zones))
            case .timewarrior: TimewarriorReader()
            case .openPomodoro: OpenPomodoroReader()
            case .toggl: TableReader(TogglTable(zone))
            }
    }

    /// Reads the next bytes. Entries, and parts that can't be read, are passed to `body`.
    ///
    /// - Throws: `FileFormatError` if the file isn't of this format at all, or is too long.
    ///   Then nothing may be imported.
    package mutating func read(_ bytes: [UInt8], _ body: (ParsedItem) -> Void) throws(FileFormatError) {
        length += bytes.count
        guard length <= FileLimits.file else {
            throw FileFormatError(line: 1, "the file is longer than \(FileLimits.file >> 20) MiB")
        }
        try reader.read(bytes[...], body)
    }

    /// Ends the file and reads the rest.
    ///
    /// - Throws: `FileFormatError`, under the same conditions as `read`.
    package mutating func finish(_ body: (ParsedItem) -> Void) throws(FileFormatError) {
        try reader.finish(body)
    }
}
