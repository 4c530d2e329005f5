/// What worlds came to, and how often: what none of them comes to, none of them tries.
package struct Reach: Hashable, Sendable {
    /// What is counted, by what it is about.
    enum Subject: String {
        /// What somebody did, where it could be done.
        case press
        /// Why it couldn't.
        case problem
        /// What a group's log had of it at a calm.
        case event
        /// How a phase of a group's history ended.
        case phase
        /// What a laptop wrote on returning, by itself.
        case returning
        /// What a laptop told who sits there.
        case notice
        /// What laptop and server told each other.
        case message
        /// What the operator did to the server that runs.
        case operating
        /// What was upgraded.
        case upgrade
        /// Why the server didn't take something, or ended a connection.
        case refusal
    }

    /// How often something was come to, and in how many worlds.
    private struct Count: Hashable {
        var times = 0
        var worlds = 1
    }

    private var counts: [String: Count] = [:]

    mutating func note(_ subject: Subject, _ name: String) {
        counts["\(subject.rawValue) \(name)", default: Count()].times += 1
    }

    /// As `note(_:_:)`, with the name of a value's case.
    mutating func note(_ subject: Subject, caseOf value: Any) { note(subject, Reach.name(ofCase: value)) }

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

    /// What is usual and none of these worlds has come to.
    package var missing: [String] { Reach.usual.filter { counts[$0] == nil } }

    /// How many worlds have to come to all that is usual.
    static let enough: UInt64 = 100

    /// What about one world in eight comes to, or more: that none of a hundred does is less likely than one in half a million.
    package static let usual = [
        "event adjust", "event adopt", "event amend", "event device", "event label", "event pause",
        "event record", "event resume", "event retime", "event set", "event skip", "event split",
        "event start", "event stop", "event undo", "message ack", "message bye", "message createInvite",
        "message enrol", "message enrolled", "message epoch", "message error", "message greeting",
        "message have", "message hello", "message inviteCreated", "message ping", "message pong",
        "message presence", "message push", "message revoke", "message revoked", "message roster",
        "message successor", "message upload", "message want", "message welcome", "notice adopted",
        "notice joined", "notice keyChanged", "notice returned",
        "notice setAnew", "notice stopped", "notice stoppedOwn", "notice tookBack", "operating announced key",
        "operating backup", "operating changed key", "operating lifted quota",
        "operating quota", "operating rename", "operating restored backup", "phase completed longBreak",
        "phase completed shortBreak", "phase completed work", "phase skipped shortBreak",
        "phase skipped work", "phase stopped longBreak", "phase stopped shortBreak", "phase stopped work",
        "press add", "press addTime",
        "press label", "press nameDevice", "press pause", "press redo", "press relabel", "press remove",
        "press resume", "press retime", "press set", "press skip", "press split", "press start",
        "press stop", "press toggle", "press undo", "problem alreadyPaused", "problem alreadyRunning",
        "problem claims", "problem futureEnd", "problem isPaused", "problem noEffect",
        "problem nothingRuns", "problem nothingToRedo", "problem nothingToUndo", "refusal clock_not_sure",
        "refusal gap", "refusal revoked", "refusal shutting_down", "refusal unknown_device",
        "upgrade laptop with later protocol", "upgrade laptop without power",
        "upgrade laptop without the protocol", "upgrade server from 4", "upgrade server from 5",
        "upgrade server without power",
    ]

    /// A case without values is named by its text, as far as that is short.
    private static func name(ofCase value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? String("\(value)".prefix(32))
    }
}
