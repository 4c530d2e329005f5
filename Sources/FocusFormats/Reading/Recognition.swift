import FocusText

extension FileFormat {
    /// How many bytes of a file's start are enough to recognise it by.
    package static let headLength = 4096

    /// The format that a file seems to be of, by how it begins; nil where it is like none of them.
    package init?(recognising head: [UInt8]) {
        let text = String(decoding: head.prefix(FileFormat.headLength), as: UTF8.self)
        let start = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        let line = start.prefix { !$0.isNewline }
        if line.first == "{" {
            self = .log
        } else if line.first == "[" {
            self = .history(.timewarrior)
        } else if line.uppercased().hasPrefix("BEGIN:VCALENDAR") {
            self = .history(.ics)
        } else if FileFormat.beginsWithTime(line) {
            self = .history(.openPomodoro)
        } else if let table = FileFormat.table(line) {
            self = .history(table)
        } else {
            return nil
        }
    }

    private static func beginsWithTime(_ line: Substring) -> Bool {
        let word = line.prefix { !$0.isWhitespace }
        return word.contains(":") && InstantText.parse(String(word)) != nil
    }

    /// Which table has a header like this.
    private static func table(_ line: Substring) -> HistoryFormat? {
        let names = line.lowercased().split(separator: ",")
            .map { $0.filter { $0 != "\"" && $0 != " " } }
        if names.contains("startdate"), names.contains("starttime") { return .toggl }
        return names.contains("started") && names.contains("ended") ? .csv : nil
    }
}
