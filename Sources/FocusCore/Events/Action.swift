/// The content of an event (docs/timer-rules.md §1).
///
/// Values are kept as they were written, in range or not. Replay decides what takes effect, so a log passes
/// unchanged through a version that understands less of it.
///
/// The large actions are rare and are boxed, so that each of a log's many small actions takes only 48 bytes.
package enum Action: Hashable, Sendable {
    /// Begins a run. The run's id is this event's position.
    indirect case start(Start)
    case pause(RunID, at: SharedInstant?)
    case resume(RunID, at: SharedInstant?)
    case stop(RunID, at: SharedInstant?)
    /// Ends the phase with this ordinal: the phase that the author's device showed.
    case skip(RunID, ordinal: Int64, at: SharedInstant?)
    /// Ends the work phase with this ordinal as completed, although it hasn't run out.
    case complete(RunID, ordinal: Int64, at: SharedInstant?)
    /// Ends the work phase with this ordinal, and begins a break that runs. In a log as text it is `break`.
    case rest(RunID, ordinal: Int64, at: SharedInstant?)
    /// Makes the phase with this ordinal longer, or shorter if `seconds` is negative.
    case adjust(RunID, ordinal: Int64, seconds: Int64, at: SharedInstant?)
    /// Labels the work of the present phase and of the phases after it.
    case label(RunID, text: String, at: SharedInstant?)
    /// Makes a side run the current one.
    case adopt(RunID)
    /// Changes a setting. This version may not know `key`.
    case set(key: String, value: Int64)
    /// Puts the lengths of a profile in force, and saves them under its name. Without lengths, removes the
    /// name from the saved ones.
    indirect case profile(name: String, PhaseLengths?)
    /// Names the device of the author's replica. `key` is the hash of its public key, 64 hex digits.
    /// `publicKey` is the key itself, a point of 65 bytes, to which other devices wrap the group's keys.
    case device(name: String, key: String?, publicKey: [UInt8]? = nil)
    /// Adds a record of a past phase to the history.
    indirect case record(Record)
    /// Gives a record of the history another label, or removes it.
    indirect case amend(Amend)
    /// Gives a record of the history other times.
    indirect case retime(Retime)
    /// Splits a record of the history in two.
    indirect case split(Split)
    /// Takes back the event it names.
    case undo(EventID)
    /// Shuts the device with this key out of the group.
    case revoke(Digest)
    /// Takes back a revocation by any device: the device with this key may join again.
    case readmit(Digest)
    /// An action of a kind that this version doesn't know.
    case unknown(UnknownAction)
}

extension Action {
    /// The content of a `start`.
    package struct Start: Hashable, Sendable {
        /// The name of the work, or nil if it has none. Replay cleans it (`Text`).
        package var label: String?
        /// The run that was current in the author's replay, or else the last run that was current. It is nil
        /// if there never was one.
        package var after: RunID?
        /// Whether the author had no connection to its server, or hadn't heard from it for 30 seconds.
        package var offline: Bool
        /// The instant at which the run begins, or nil if it begins when the event is written. Replay moves
        /// an instant that is too early or in the future (docs/timer-rules.md §4).
        package var at: SharedInstant?
        /// The length of the first phase in seconds, or nil for the setting's length.
        package var length: Int64?
        /// The instant at which the first phase begins, or nil if it begins with the run. The run waits until
        /// then.
        package var begins: SharedInstant?
        /// Whether the run goes to its first break at once.
        package var rest: Bool

        /// The greatest length of a first phase, and the greatest distance of `begins` from the event, in
        /// seconds.
        package static let longest: Int64 = 86_400

        /// Creates the content of a `start`. By default the run has no name, begins with work of the setting's
        /// length when the event is written, and the author is online and knew of no run.
        package init(
            label: String? = nil, after: RunID? = nil, offline: Bool = false, at: SharedInstant? = nil,
            length: Int64? = nil, begins: SharedInstant? = nil, rest: Bool = false
        ) {
            self.label = label
            self.after = after
            self.offline = offline
            self.at = at
            self.length = length
            self.begins = begins
            self.rest = rest
        }

        /// Whether the length and the beginning are in range, for an event of this time. If not, the event
        /// changes nothing.
        func isInRange(at time: SharedInstant) -> Bool {
            length.map { (1...Start.longest).contains($0) } ?? true
                && begins.map { $0 <= time.later(bySeconds: Start.longest) } ?? true
        }
    }

    /// A fact about the past: imported, brought along into a group, kept on returning, or added by hand.
    package struct Record: Hashable, Sendable {
        /// The name of an `Activity`, or a name that this version doesn't know.
        package var activity: String
        /// The beginning, 0 or later. Otherwise the record changes nothing.
        package var startedAt: SharedInstant
        /// The end: after the beginning, by at most `longest`, and no later than the event. Otherwise the
        /// record changes nothing.
        package var endedAt: SharedInstant
        /// The name of an `Outcome`, or a name that this version doesn't know.
        package var outcome: String
        /// The name of the work, or empty if it has none. Replay cleans it (`Text`).
        package var label: String
        /// The origin of the fact. Of several records with the same source, only the first counts. A source
        /// never names its own event, because that name changes if the event moves to another replica.
        package var source: String

        /// The prefix of the source of a record that a person added. Such an event is a press, so an undo can
        /// take it back.
        private static let byHand = "hand:"
        /// The source of a record that keeps offline work. In the history, the event's position is added to
        /// it (`source(at:)`).
        package static let whileOffline = "offline"

        /// The longest duration that a record may have. A longer record changes nothing.
        package static let longest = Duration.seconds(86_400)

        /// Creates the content of a `record`, valid or not.
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

        /// Returns the source of a record that a person adds.
        ///
        /// - Parameter mark: A random number that identifies the entry. So the entry is in the history only
        ///   once, even if a laptop and its copy both move it to another replica.
        package static func byHand(_ mark: UInt64) -> String { byHand + FocusCore.hexadecimal(mark) }

        /// Whether a person added the record. It is false after the record was carried to another log.
        package var isByHand: Bool { Text.cleaned(source).utf8.starts(with: Record.byHand.utf8) }

        /// Whether the record keeps offline work.
        package var keepsWork: Bool { Text.cleaned(source) == Record.whileOffline }

        /// Returns the cleaned source under which the history has the record of the event at `position`:
        /// `hand/9f2c6a1b00d4e7aa` for `hand:9f2c6a1b00d4e7aa`, and
        /// `offline/1763661600000.0@9f2c6a1b00d4e7aa` for kept work.
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
        /// The run in the name of the corrected record (`RecordName`).
        package var run: RunID
        /// The ordinal in the name of the corrected record.
        package var ordinal: Int64
        /// The new label, or nil for the recorded one. Replay cleans it (`Text`).
        package var label: String?
        /// Whether the record is left out of the history. Nil means false too. The two differ only so
        /// that the event is encoded again as it was written.
        package var removed: Bool?

        /// Creates the content of an `amend`. Without a label and without `removed`, it restores what was
        /// recorded.
        package init(run: RunID, ordinal: Int64, label: String? = nil, removed: Bool? = nil) {
            self.run = run
            self.ordinal = ordinal
            self.label = label
            self.removed = removed
        }
    }
}

extension Action {
    /// The new times of one record of the history.
    package struct Retime: Hashable, Sendable {
        /// The run in the name of the corrected record (`RecordName`).
        package var run: RunID
        /// The ordinal in the name of the corrected record.
        package var ordinal: Int64
        /// The new beginning, 0 or later. Otherwise the `retime` changes nothing.
        package var startedAt: SharedInstant
        /// The new end: after `startedAt`, by at most `Record.longest`, and no later than the event.
        /// Otherwise the `retime` changes nothing.
        package var endedAt: SharedInstant
        /// The distance by which the record's intervals are moved before they are cut to the new times, in
        /// whole milliseconds.
        package var shift: Duration

        /// Creates the content of a `retime`, valid or not.
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
        /// The run in the name of the record that is split (`RecordName`).
        package var run: RunID
        /// The ordinal in the name of the record that is split.
        package var ordinal: Int64
        /// The beginning of the second record. The `split` changes nothing unless the record has running time
        /// both before and after it.
        package var instant: SharedInstant
        /// The label of the second record, or nil for the label of the first.
        package var label: String?

        /// Creates the content of a `split`, valid or not.
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
    /// An action from a log as text: its name, and its other fields as one JSON object, ordered by name.
    case named(String, fields: String)
    /// An action from the wire or the device's log: its whole plain encoding (docs/protocol.md, "Actions").
    case encoded([UInt8])
}

extension Action {
    /// The run that the action acts on, or nil if it acts on none. It is nil for `start` too, which begins a
    /// run.
    package var run: RunID? {
        switch self {
        case .pause(let run, _), .resume(let run, _), .stop(let run, _), .skip(let run, _, _),
            .complete(let run, _, _), .rest(let run, _, _), .adjust(let run, _, _, _), .label(let run, _, _),
            .adopt(let run):
            run
        case .start, .set, .profile, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit,
            .unknown:
            nil
        }
    }

    /// The names of the timer's settings that the action sets; empty if it sets none.
    var settingNames: [String] {
        switch self {
        case .set(let key, _): key == ServerSetting.name ? [] : [key]
        case .profile(_, .some): PhaseLengths.keys.map { $0.rawValue }
        default: []
        }
    }

    /// Whether an `undo` can take the action back. It can't take back the actions that say which devices are
    /// in the group.
    package var canBeTakenBack: Bool {
        switch self {
        case .device, .revoke, .readmit: false
        default: true
        }
    }

    /// The instant that the action names for its effect, or nil if it names none.
    package var at: SharedInstant? {
        switch self {
        case .start(let start): start.at
        case .pause(_, let at), .resume(_, let at), .stop(_, let at), .skip(_, _, let at),
            .complete(_, _, let at), .rest(_, _, let at), .adjust(_, _, _, let at), .label(_, _, let at):
            at
        case .adopt, .set, .profile, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit,
            .unknown:
            nil
        }
    }
}
