package import FocusText

/// Reads a history from a file's bytes, piece by piece. So a long file takes no more memory than its entries do.
package struct HistoryReader {
    private var reader: any EntryReader
    private var length = 0

    /// - Parameters:
    ///   - zone: The place whose clocks the file's local times are by.
    ///   - zones: The system's time zone of a name, or nil if it knows none.
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

    /// Reads on. `take` is given what is found, and what can't be read.
    ///
    /// - Throws: `BadFile` if the file isn't of this format at all; nothing may be taken in then.
    package mutating func read(_ bytes: [UInt8], _ take: (FoundEntry) -> Void) throws(BadFile) {
        length += bytes.count
        guard length <= FileLimits.file else {
            throw BadFile(line: 1, "the file is longer than \(FileLimits.file >> 20) MiB")
        }
        try reader.read(bytes[...], take)
    }

    /// Says that the file has ended, and reads what was left.
    ///
    /// - Throws: as `read`.
    package mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile) {
        try reader.finish(take)
    }
}
