import FocusCore
import FocusText

/// Writes intervals as `timew export` does.
struct TimewarriorWriter: EntryWriter {
    private let count: Int
    /// Timewarrior numbers intervals from the last one back.
    private var id: Int

    init(count: Int) {
        self.count = count
        id = count
    }

    var head: String { "[" }
    var tail: String { "\n]\n" }

    mutating func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inSeconds else { return "" }
        let separator = id == count ? "\n" : ",\n"
        var members = [
            JSON.Member("id", .integer(id)),
            JSON.Member("start", .string("\(CivilTime(utc: interval.from).basic)Z")),
            JSON.Member("end", .string("\(CivilTime(utc: interval.to).basic)Z")),
        ]
        if !entry.label.isEmpty { members.append(JSON.Member("tags", .array([.string(entry.label)]))) }
        id -= 1
        return "\(separator)\(JSON.object(members))"
    }
}
