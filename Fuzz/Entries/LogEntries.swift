import FocusCore
import FocusText

/// Fuzzes actions. An action keeps its encoding when it is read and written, also as a line of an exported
/// log.
func fuzzActions(_ input: [UInt8]) throws {
    let action = Action(encoded: input)
    try hold(action.encoded() == input, "an action is written as it was read")
    let event = Event(replica: ReplicaID(rawValue: 1), seq: 1, stamp: .zero, action: action)
    try holdAsText(EventLine(event))
    guard let log = try? EventLog([event]) else { return }
    _ = log.replayed()
}

/// Checks that the written line is read as the same event.
private func holdAsText(_ line: EventLine) throws {
    let text = line.description
    let again: EventLine
    do {
        again = try EventLine(parsing: text.utf8)
    } catch {
        throw BrokenProperty(description: "what is exported can be imported: \(error) in \(text)")
    }
    try hold(
        again.event.id == line.event.id && again.event.stamp == line.event.stamp
            && again.epoch == line.epoch && again.event.action.encoded() == line.event.action.encoded(),
        "an event is the same after being written and read: \(text)")
}

/// Fuzzes checkpoints: a decoded checkpoint can be written and shown.
func fuzzCheckpoints(_ input: [UInt8]) throws {
    guard let state = try? ReplayState(encoded: input) else { return }
    let encoded = state.encoded()
    try hold(try ReplayState(encoded: encoded) == state, "a checkpoint is read as it was written")
    try hold(try ReplayState(encoded: encoded).encoded() == encoded, "a checkpoint has one encoding")
    _ = StateDocument.members(state, at: laterInstant).description
}

/// Fuzzes journal entries: a decoded entry can be written, and shown in a history.
func fuzzJournal(_ input: [UInt8]) throws {
    guard let entry = try? JournalEntry(encoded: input) else { return }
    let encoded = entry.encoded()
    try hold(try JournalEntry(encoded: encoded) == entry, "an entry is read as it was written")
    try hold(try JournalEntry(encoded: encoded).encoded() == encoded, "an entry has one encoding")
    var journal = Journal()
    journal.append(entry)
    journal.append(entry)
    let history = History(journal, ReplayState(), at: .zero)
    _ = StateDocument.history(history).description
    _ = history.focus(in: Interval(from: .zero, to: laterInstant))
}

/// The instant at which states are shown.
private let laterInstant = SharedInstant(milliseconds: 1_763_661_600_000)

/// Fuzzes logs as text: a log has the same state after export and import, and in any order of arrival.
func fuzzLogs(_ input: [UInt8]) throws {
    guard let lines = try? LogText.parse(input) else { return }
    for line in lines { try holdAsText(line) }
    let events = lines.map(\.event)
    guard let log = try? EventLog(events), ReplayWork.ofReplaying(events) < ReplayWork.limit else { return }
    let (state, journal) = log.replayed()
    let now = log.greatestStamp.time
    let document = StateDocument.replay(state, journal, at: now).description
    let text = lines.map { "\($0)\n" }.joined()
    let again = try EventLog(LogText.parse(Array(text.utf8)).map(\.event)).replayed()
    try hold(
        StateDocument.replay(again.0, again.1, at: now).description == document,
        "an exported log has the same state")
    var timeline = Timeline(checkpointInterval: 2)
    for event in events.reversed() {
        // An event that is refused by itself may be valid in a log that has the events before it.
        do { try timeline.merge([event]) } catch { return }
    }
    try hold(
        StateDocument.replay(timeline.state, timeline.journal, at: now).description == document,
        "the order of arrival doesn't show")
    try hold(try ReplayState(encoded: state.encoded()) == state, "every state can be a checkpoint")
}

/// The work of replaying a log. An untouched run goes through its phases until the idle limit, and through
/// `OpenRun.mostPhases` if its `at` is far back. So some hundred bytes can require seconds of work, which the
/// fuzzers don't look for.
private enum ReplayWork {
    /// The number of steps above which an input is skipped.
    static let limit: Int64 = 1_000_000

    /// Returns an upper bound of the phases that replay goes through. The events arrive one by one, and each
    /// may restart replay. In each replay, each event may bring a run forward from its beginning.
    static func ofReplaying(_ events: [Event]) -> Int64 {
        // In seconds: the shortest default length, and the default limit.
        var shortest: Int64 = 300
        var idleLimit: Int64 = 43_200
        var longestBackdate = Duration.zero
        for event in events {
            switch event.action {
            case .set(let key, let value) where value > 0:
                if key.hasSuffix("Length") { shortest = min(shortest, value) }
                if key == SettingKey.idleLimit.rawValue { idleLimit = 86_400 }
            case .profile(_, let lengths?):
                for (key, value) in lengths.values where value > 0 && key != .longBreakFrequency {
                    shortest = min(shortest, value)
                }
            case .start(let start):
                let backdate = event.time - max(.zero, start.at ?? event.time)
                longestBackdate = max(longestBackdate, backdate)
            default: break
            }
        }
        let count = Int64(events.count + 1)
        let phases = min((longestBackdate.inSeconds + idleLimit) / shortest, OpenRun.mostPhases)
        return phases * count * count
    }
}
