/// What worlds came to, and how often: what none of them comes to, none of them tries.
package struct Reach: Hashable, Sendable {
    /// What is counted, by what it is about.
    enum Subject: String {
        /// What somebody did, where it could be done.
        case press
        /// Why it couldn't.
        case problem
        /// Which setting was set.
        case setting
        /// What a group's log had of it at a calm.
        case event
        /// A branch of the timer rules (§4 and §5) that a group's log, or a laptop that returned, led to.
        case rule
        /// What of days a group's history had.
        case day
        /// How a phase of a group's history ended.
        case phase
        /// What a laptop wrote on returning, by itself.
        case returning
        /// What it did about time asleep, within the time that it has for that.
        case waking
        /// On what occasion what it did by itself was held against the rules.
        case held
        /// Why it couldn't be.
        case skip
        /// What a laptop told who sits there.
        case notice
        /// What laptop and server told each other.
        case message
        /// What took another round: chains asked for again, events that go on where a full read ended.
        case round
        /// What the operator did to the server that runs.
        case operating
        /// Which programs were of other versions.
        case version
        /// Why the server didn't take something, or ended a connection.
        case refusal
        /// What it came to where several servers share a database.
        case sharing
        /// What of the server's connections came to a limit.
        case limit
    }

    /// How often something was come to, and in how many worlds.
    private struct Count: Hashable {
        var times = 0
        var worlds = 1
    }

    private var counts: [String: Count] = [:]

    mutating func note(_ subject: Subject, _ name: String, times: Int = 1) {
        counts["\(subject.rawValue) \(name)", default: Count()].times += times
    }

    /// As `note(_:_:)`, with the name of a value's case. A value is looked into anew each time, which takes a while.
    mutating func note(_ subject: Subject, caseOf value: Any, times: Int = 1) {
        note(subject, Reach.name(ofCase: value), times: times)
    }

    /// How often these worlds came to this, as the table names it.
    package func times(_ name: String) -> Int { counts[name]?.times ?? 0 }

    /// Adds another world's.
    mutating func add(_ other: Reach) {
        counts.merge(other.counts) { Count(times: $0.times + $1.times, worlds: $0.worlds + $1.worlds) }
    }

    /// A line for each, what most worlds came to first: in how many worlds, how often in all, and what.
    var table: String {
        counts.sorted { ($1.value.worlds, $0.key) < ($0.value.worlds, $1.key) }
            .map { "  \($0.value.worlds)\t\($0.value.times)\t\($0.key)" }.joined(separator: "\n")
    }

    /// What none of these worlds has come to, though so many of them should have.
    package func missing(in worlds: UInt64) -> [String] {
        Reach.expected(of: worlds).filter { counts[$0] == nil }
    }

    /// How much of what laptops did by themselves couldn't be held against the rules, in percent; 0 where they did nothing.
    package var skipped: Int {
        func times(of subject: Subject) -> Int {
            counts.reduce(0) { $1.key.hasPrefix("\(subject.rawValue) ") ? $0 + $1.value.times : $0 }
        }
        let (skipped, held) = (times(of: .skip), times(of: .held))
        return skipped * 100 / max(1, skipped + held)
    }

    /// What is wrong with what so many worlds came to, in words; nothing where all is as usual.
    package func troubles(in worlds: UInt64) -> [String] {
        let missing = missing(in: worlds)
        let lacks =
            missing.isEmpty ? [] : ["none of \(worlds) worlds came to: \(missing.joined(separator: ", "))"]
        guard worlds >= Reach.fewest, skipped > Reach.mostSkipped else { return lacks }
        return lacks + ["\(skipped) % of what laptops did by themselves couldn't be held against the rules"]
    }

    /// A case without values is named by its text, as far as that is short.
    private static func name(ofCase value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? String("\(value)".prefix(32))
    }
}
