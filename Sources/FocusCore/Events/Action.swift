/// What an event says (docs/timer-rules.md §1).
///
/// Values are kept as they were written, in range or not: replay decides what takes effect, so a log passes
/// unchanged through a version that understands less of it.
///
/// The large actions are the rare ones, and are boxed, so that a log's many small ones take 48 bytes each.
package enum Action: Hashable, Sendable {
    /// Begins a run, whose id is this event's position.
    indirect case start(Start)
    case pause(RunID, at: SharedInstant?)
    case resume(RunID, at: SharedInstant?)
    case stop(RunID, at: SharedInstant?)
    /// Ends the phase it was pressed on.
    case skip(RunID, ordinal: Int64, at: SharedInstant?)
    /// Gives the phase it was pressed on more or less time.
    case adjust(RunID, ordinal: Int64, seconds: Int64, at: SharedInstant?)
    /// Names the work from the present phase on.
    case label(RunID, text: String, at: SharedInstant?)
    /// Makes a side run the current one.
    case adopt(RunID)
    /// Changes a setting; `key` may be one that this version doesn't know.
    case set(key: String, value: Int64)
    /// Names the authoring replica's device; `key` is the hash of its public key, 64 hex digits, and `publicKey` that
    /// key itself, a point of 65 bytes, which the others wrap the group's keys to.
    case device(name: String, key: String?, publicKey: [UInt8]? = nil)
    indirect case record(Record)
    indirect case amend(Amend)
    /// Gives a record of the history other times.
    indirect case retime(Retime)
    /// Makes two of a record of the history.
    indirect case split(Split)
    /// Takes back the event it names.
    case undo(EventID)
    /// Shuts the device of this key out of the group.
    case revoke(Digest)
    /// Takes that back, whoever did it: the device may join anew.
    case readmit(Digest)
    /// An action of a kind that this version doesn't know.
    case unknown(UnknownAction)
}

extension Action {
    /// What a `start` says.
    package struct Start: Hashable, Sendable {
        /// What the work is called; nil where it has no name. Replay cleans it (`Text`).
        package var label: String?
        /// The run that was current in the author's replay, or else the one that was last.
        package var after: RunID?
        /// Whether the author was cut off from its server.
        package var offline: Bool
        /// When the run begins; nil where it does as the event is written. Replay allows no instant that is too early
        /// or in the future (docs/timer-rules.md §4).
        package var at: SharedInstant?

        /// What a `start` says; unless said otherwise, of a run without a name that begins as the event is written,
        /// by a device that knew of no run and wasn't cut off.
        package init(
            label: String? = nil, after: RunID? = nil, offline: Bool = false, at: SharedInstant? = nil
        ) {
            self.label = label
            self.after = after
            self.offline = offline
            self.at = at
        }
    }

    /// A fact about the past: imported, kept on joining a group, or added by hand.
    package struct Record: Hashable, Sendable {
        /// An `Activity`'s name, or one that this version doesn't know.
        package var activity: String
        /// When it began: 0 or later, or the record changes nothing.
        package var startedAt: SharedInstant
        /// When it ended: later than it began, by `longest` at most, and no later than the event; or the record
        /// changes nothing.
        package var endedAt: SharedInstant
        /// An `Outcome`'s name, or one that this version doesn't know.
        package var outcome: String
        /// What the work is called; empty where it has no name. Replay cleans it (`Text`).
        package var label: String
        /// Where the fact comes from: of several records with one source only the first counts. No source names its own
        /// event, because that name changes if the event is moved.
        package var source: String

        /// How the source of a record begins that a person adds: such an event is a press, which undo takes back.
        private static let byHand = "hand:"
        /// The source of a record by which a device keeps work that it showed while it was cut off. It stands for the
        /// event itself.
        package static let whileOffline = "offline"

        /// The longest that a record may say; a longer one changes nothing.
        package static let longest = Duration.seconds(86_400)

        /// What a `record` says, possible or not.
        package init(
            activity: String, startedAt: SharedInstant, endedAt: SharedInstant, outcome: String,
            label: String, source: String
        ) {
            self.activity = activity
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.outcome = outcome
            self.label = label
            self.source = source
        }

        /// The source of a record that a person adds.
        ///
        /// - Parameter mark: A random number. The entry is known by it, so it is in the history once, even if both a laptop
        ///   and its copy move it to another replica.
        package static func byHand(_ mark: UInt64) -> String { byHand + FocusCore.hexadecimal(mark) }

        /// Whether a person added it. False once it was carried to another log.
        package var isByHand: Bool { Text.cleaned(source).utf8.starts(with: Record.byHand.utf8) }

        /// Whether a device keeps work by it that it showed while it was cut off.
        package var keepsWork: Bool { Text.cleaned(source) == Record.whileOffline }

        /// The source under which the history has the record of the event at `position`, cleaned: `hand/9f2c6a1b00d4e7aa`
        /// for `hand:9f2c6a1b00d4e7aa`, and `offline/1763661600000.0@9f2c6a1b00d4e7aa` for kept work.
        package func source(at position: Position) -> String {
            let source = Text.cleaned(source)
            if isByHand {
                return "hand/" + Substring(source.unicodeScalars.dropFirst(Record.byHand.utf8.count))
            }
            return keepsWork ? "\(source)/\(RunID(position).text)" : source
        }
    }

    /// A correction of one record of the history.
    package struct Amend: Hashable, Sendable {
        /// The run of the record that is corrected, as `RecordName` has it.
        package var run: RunID
        /// That record's ordinal, as `RecordName` has it.
        package var ordinal: Int64
        /// What the record is to be called; nil where as it was recorded. Replay cleans it (`Text`).
        package var label: String?
        /// Whether the record is left out of the history; nil says no too, and is kept apart only as it was written.
        package var removed: Bool?

        /// What an `amend` says; one with neither a label nor `removed` puts back what was recorded.
        package init(run: RunID, ordinal: Int64, label: String? = nil, removed: Bool? = nil) {
            self.run = run
            self.ordinal = ordinal
            self.label = label
            self.removed = removed
        }
    }
}

extension Action {
    /// Other times of one record of the history.
    package struct Retime: Hashable, Sendable {
        /// The run of the record that is corrected, as `RecordName` has it.
        package var run: RunID
        /// That record's ordinal, as `RecordName` has it.
        package var ordinal: Int64
        /// When it begins and ends.
        package var startedAt: SharedInstant
        /// Later than `startedAt`, by `Record.longest` at most, and no later than the event; or the `retime` changes
        /// nothing.
        package var endedAt: SharedInstant
        /// By how much what was worked in it is moved before it is fitted in between: whole milliseconds.
        package var shift: Duration

        /// What a `retime` says, possible or not.
        package init(
            run: RunID, ordinal: Int64, startedAt: SharedInstant, endedAt: SharedInstant, shift: Duration
        ) {
            self.run = run
            self.ordinal = ordinal
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.shift = shift
        }
    }

    /// The instant at which one record of the history becomes two.
    package struct Split: Hashable, Sendable {
        /// The run of the record that becomes two, as `RecordName` has it.
        package var run: RunID
        /// That record's ordinal, as `RecordName` has it.
        package var ordinal: Int64
        /// When the second begins; unless the record has running time before it and after it, the `split` changes
        /// nothing.
        package var instant: SharedInstant
        /// What the second is called; nil where as the first.
        package var label: String?

        /// What a `split` says, possible or not.
        package init(run: RunID, ordinal: Int64, instant: SharedInstant, label: String? = nil) {
            self.run = run
            self.ordinal = ordinal
            self.instant = instant
            self.label = label
        }
    }
}

/// An action that this version doesn't know, kept whole so that it can be passed on.
package enum UnknownAction: Hashable, Sendable {
    /// From a log as text: its name, and its other fields as one JSON object, ordered by name.
    case named(String, fields: String)
    /// From the wire or the device's log: the whole plain encoding (docs/protocol.md, "Actions").
    case encoded([UInt8])
}

extension Action {
    /// The run that the action acts on; nil for the actions that act on none, and for `start`, which begins one.
    package var run: RunID? {
        switch self {
        case .pause(let run, _), .resume(let run, _), .stop(let run, _), .skip(let run, _, _),
            .adjust(let run, _, _, _), .label(let run, _, _), .adopt(let run):
            run
        case .start, .set, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit, .unknown:
            nil
        }
    }

    /// Whether an `undo` takes it back: anything but what says who is in the group.
    package var canBeTakenBack: Bool {
        switch self {
        case .device, .revoke, .readmit: false
        default: true
        }
    }

    /// The instant that the action says it takes effect at, where it says one.
    package var at: SharedInstant? {
        switch self {
        case .start(let start): start.at
        case .pause(_, let at), .resume(_, let at), .stop(_, let at), .skip(_, _, let at),
            .adjust(_, _, _, let at), .label(_, _, let at):
            at
        case .adopt, .set, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit, .unknown: nil
        }
    }
}
