/// The coverage of simulated worlds: counts of the events, messages, rules and errors that occurred in them.
/// It shows which cases no world has tested.
package struct Reach: Hashable, Sendable {
    /// The kinds of entries that are counted.
    enum Subject: String {
        /// An action of a person that succeeded.
        case press
        /// The reason why an action of a person failed.
        case problem
        /// A setting that somebody set.
        case setting
        /// A kind of event in a group's log. The log is read at each calm, a time without faults.
        case event
        /// A branch of the timer rules (§4 and §5), taken by the replay of a group's log or by a laptop on
        /// returning.
        case rule
        /// A property of the days in a group's history, such as work past the end of a day of 23 hours.
        case day
        /// The end of a phase in a group's history.
        case phase
        /// An event that a laptop wrote by itself on returning.
        case returning
        /// A laptop's decision about time asleep that was made within its time limit.
        case waking
        /// The occasion on which a laptop's own actions were checked against the rules.
        case checked = "held"
        /// The reason why a laptop's own actions couldn't be checked.
        case unchecked = "skip"
        /// A notice that a laptop showed to its user.
        case notice
        /// A message between a laptop and the server.
        case message
        /// An exchange out of the ordinary: chains requested again, a full segment right after another, or an
        /// event pushed before its upload is acknowledged.
        case round
        /// An action of the operator on the running server.
        case operating
        /// A program of another version that was in use.
        case version
        /// The server's reason for refusing a request or ending a connection.
        case refusal
        /// An incident between several servers that share a database.
        case sharing
    }

    /// The number of times that an entry occurred, and the number of worlds in which it occurred.
    private struct Count: Hashable {
        var times = 0
        var worlds = 1
    }

    private var counts: [String: Count] = [:]

    mutating func count(_ subject: Subject, _ name: String, times: Int = 1) {
        counts["\(subject.rawValue) \(name)", default: Count()].times += times
    }

    /// Counts an entry with the name of the case of `value`. It uses reflection each time, which is slow.
    mutating func count(_ subject: Subject, caseOf value: Any, times: Int = 1) {
        count(subject, Reach.name(ofCase: value), times: times)
    }

    /// Returns the number of times that the entry `name` of the table occurred in these worlds.
    package func times(_ name: String) -> Int { counts[name]?.times ?? 0 }

    /// Adds the counts of another world.
    mutating func add(_ other: Reach) {
        counts.merge(other.counts) { Count(times: $0.times + $1.times, worlds: $0.worlds + $1.worlds) }
    }

    /// A line for each entry: the number of worlds, the number of times, and the name. The entry of the most
    /// worlds is first.
    var table: String {
        counts.sorted { ($1.value.worlds, $0.key) < ($0.value.worlds, $1.key) }
            .map { "  \($0.value.worlds)\t\($0.value.times)\t\($0.key)" }.joined(separator: "\n")
    }

    /// Returns the entries that `worlds` worlds should have and that are missing here.
    package func missing(in worlds: UInt64) -> [String] {
        Reach.expected(of: worlds).filter { counts[$0] == nil }
    }

    /// The share of laptops' own actions that couldn't be checked against the rules, in percent; 0 if there
    /// were none.
    package var skipped: Int {
        func times(of subject: Subject) -> Int {
            counts.reduce(0) { $1.key.hasPrefix("\(subject.rawValue) ") ? $0 + $1.value.times : $0 }
        }
        let (unchecked, checked) = (times(of: .unchecked), times(of: .checked))
        return unchecked * 100 / max(1, unchecked + checked)
    }

    /// Returns the faults of the coverage of `worlds` worlds, in words; empty if it is as expected.
    package func troubles(in worlds: UInt64) -> [String] {
        let missing = missing(in: worlds)
        let lacks =
            missing.isEmpty ? [] : ["none of \(worlds) worlds reached: \(missing.joined(separator: ", "))"]
        guard worlds >= Reach.fewest, skipped > Reach.mostSkipped else { return lacks }
        return lacks + ["\(skipped) % of what laptops did by themselves couldn't be held against the rules"]
    }

    /// Returns the name of the case of an enum's value. If the case has no values, the name is the first 32
    /// characters of its text.
    private static func name(ofCase value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? String("\(value)".prefix(32))
    }
}
