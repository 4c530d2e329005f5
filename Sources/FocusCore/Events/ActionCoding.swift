/// The plain encoding of an action (docs/protocol.md, "Actions"): a kind byte, then the kind's fields in a
/// fixed order. The device's log stores it, and sealing encrypts it. Each action has exactly one encoding.
extension Action {
    /// The first byte of an encoding. The numbers never change.
    fileprivate enum Kind: UInt8 {
        /// An unknown action that was read from a log in text form, which names its kind.
        case named = 0
        case start, pause, resume, stop, skip, adjust, label, adopt, set, device, record, amend, undo, revoke,
            readmit, retime, split, complete, rest, profile
    }

    /// The names of the actions that this version knows, as in a log as text.
    package static let knownNames: Set<String> = [
        "start", "pause", "resume", "stop", "skip", "adjust", "label", "adopt", "set", "device", "record",
        "amend",
        "undo", "revoke", "readmit", "retime", "split", "complete", "break", "profile",
    ]

    /// Returns the action's plain encoding.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .start(let start):
            writer.byte(Kind.start.rawValue)
            var flags: UInt8 = start.offline ? 4 : 0
            if start.label != nil { flags |= 1 }
            if start.after != nil { flags |= 2 }
            if start.at != nil { flags |= 8 }
            if start.length != nil { flags |= 16 }
            if start.begins != nil { flags |= 32 }
            if start.rest { flags |= 64 }
            writer.byte(flags)
            if let label = start.label { writer.string(label) }
            if let after = start.after { writer.run(after) }
            if let at = start.at { writer.signed(at) }
            if let length = start.length { writer.signed(length) }
            if let begins = start.begins { writer.signed(begins) }
        case .pause(let run, let at): writer.press(.pause, run, at)
        case .resume(let run, let at): writer.press(.resume, run, at)
        case .stop(let run, let at): writer.press(.stop, run, at)
        case .skip(let run, let ordinal, let at):
            writer.press(.skip, run, at)
            writer.signed(ordinal)
        case .complete(let run, let ordinal, let at):
            writer.press(.complete, run, at)
            writer.signed(ordinal)
        case .rest(let run, let ordinal, let at):
            writer.press(.rest, run, at)
            writer.signed(ordinal)
        case .adjust(let run, let ordinal, let seconds, let at):
            writer.press(.adjust, run, at)
            writer.signed(ordinal)
            writer.signed(seconds)
        case .label(let run, let text, let at):
            writer.press(.label, run, at)
            writer.string(text)
        case .adopt(let run):
            writer.byte(Kind.adopt.rawValue)
            writer.run(run)
        case .set(let key, let value):
            writer.byte(Kind.set.rawValue)
            writer.string(key)
            writer.signed(value)
        case .profile(let name, let lengths):
            writer.byte(Kind.profile.rawValue)
            writer.byte(lengths == nil ? 1 : 0)
            writer.string(name)
            if let lengths { writer.lengths(lengths) }
        case .device(let name, let key, let publicKey):
            writer.byte(Kind.device.rawValue)
            writer.byte((key == nil ? 0 : 1) | (publicKey == nil ? 0 : 2))
            writer.string(name)
            if let key { writer.string(key) }
            if let publicKey { writer.sized(publicKey) }
        case .record(let record):
            writer.byte(Kind.record.rawValue)
            writer.string(record.activity)
            writer.signed(record.startedAt)
            writer.signed(record.endedAt)
            writer.string(record.outcome)
            writer.string(record.label)
            writer.string(record.source)
        case .amend(let amend):
            writer.byte(Kind.amend.rawValue)
            var flags: UInt8 = amend.label == nil ? 0 : 1
            // 2 says that `removed` is given, and 4 is its value.
            if let removed = amend.removed { flags |= removed ? 6 : 2 }
            writer.byte(flags)
            writer.run(amend.run)
            writer.signed(amend.ordinal)
            if let label = amend.label { writer.string(label) }
        case .undo(let target):
            writer.byte(Kind.undo.rawValue)
            writer.fixed(target.replica.rawValue)
            writer.varint(target.seq)
        case .revoke(let key):
            writer.byte(Kind.revoke.rawValue)
            writer.raw(key.bytes)
        case .readmit(let key):
            writer.byte(Kind.readmit.rawValue)
            writer.raw(key.bytes)
        case .retime(let retime):
            writer.byte(Kind.retime.rawValue)
            writer.run(retime.run)
            writer.signed(retime.ordinal)
            writer.signed(retime.startedAt)
            writer.signed(retime.endedAt)
            writer.signed(retime.shift)
        case .split(let split):
            writer.byte(Kind.split.rawValue)
            writer.byte(split.label == nil ? 0 : 1)
            writer.run(split.run)
            writer.signed(split.ordinal)
            writer.signed(split.instant)
            if let label = split.label { writer.string(label) }
        case .unknown(.named(let name, let fields)):
            writer.byte(Kind.named.rawValue)
            writer.string(name)
            writer.string(fields)
        case .unknown(.encoded(let bytes)):
            return bytes
        }
        return writer.bytes
    }

    /// Creates an action from its plain encoding. If this version can't read the encoding, the action is
    /// unknown and keeps the bytes.
    package init(encoded bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        do throws(ByteReader.Failure) {
            self = try Action(from: &reader)
            try reader.end()
        } catch {
            self = .unknown(.encoded(bytes))
        }
    }

    private init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        guard let kind = Kind(rawValue: try reader.byte()) else { throw .invalidValue }
        switch kind {
        case .start:
            let flags = try reader.flags(allowed: 127)
            self = .start(
                Start(
                    label: flags & 1 == 0 ? nil : try reader.string(),
                    after: flags & 2 == 0 ? nil : try reader.run(),
                    offline: flags & 4 != 0,
                    at: flags & 8 == 0 ? nil : try reader.signedInstant(),
                    length: flags & 16 == 0 ? nil : try reader.signed(),
                    begins: flags & 32 == 0 ? nil : try reader.signedInstant(),
                    rest: flags & 64 != 0))
        case .pause:
            let (run, at) = try reader.press()
            self = .pause(run, at: at)
        case .resume:
            let (run, at) = try reader.press()
            self = .resume(run, at: at)
        case .stop:
            let (run, at) = try reader.press()
            self = .stop(run, at: at)
        case .skip:
            let (run, at) = try reader.press()
            self = .skip(run, ordinal: try reader.signed(), at: at)
        case .complete:
            let (run, at) = try reader.press()
            self = .complete(run, ordinal: try reader.signed(), at: at)
        case .rest:
            let (run, at) = try reader.press()
            self = .rest(run, ordinal: try reader.signed(), at: at)
        case .adjust:
            let (run, at) = try reader.press()
            self = .adjust(run, ordinal: try reader.signed(), seconds: try reader.signed(), at: at)
        case .label:
            let (run, at) = try reader.press()
            self = .label(run, text: try reader.string(), at: at)
        case .adopt: self = .adopt(try reader.run())
        case .set: self = .set(key: try reader.string(), value: try reader.signed())
        case .device:
            let flags = try reader.flags(allowed: 3)
            self = .device(
                name: try reader.string(), key: flags & 1 == 0 ? nil : try reader.string(),
                publicKey: flags & 2 == 0 ? nil : Array(try reader.sized()))
        case .record:
            self = .record(
                Record(
                    activity: try reader.string(), startedAt: try reader.signedInstant(),
                    endedAt: try reader.signedInstant(),
                    outcome: try reader.string(), label: try reader.string(), source: try reader.string()))
        case .amend:
            let flags = try reader.flags(allowed: 7)
            guard flags & 6 != 4 else { throw .invalidValue }
            let run = try reader.run()
            let ordinal = try reader.signed()
            let label = flags & 1 == 0 ? nil : try reader.string()
            self = .amend(
                Amend(
                    run: run, ordinal: ordinal, label: label, removed: flags & 2 == 0 ? nil : flags & 4 != 0))
        case .undo:
            let replica = ReplicaID(rawValue: try reader.fixed())
            self = .undo(EventID(replica: replica, seq: try reader.varint()))
        case .revoke: self = .revoke(try reader.digest())
        case .readmit: self = .readmit(try reader.digest())
        case .retime:
            self = .retime(
                Retime(
                    run: try reader.run(), ordinal: try reader.signed(),
                    startedAt: try reader.signedInstant(),
                    endedAt: try reader.signedInstant(), shift: try reader.signedMilliseconds()))
        case .split:
            let flags = try reader.flags(allowed: 1)
            self = .split(
                Split(
                    run: try reader.run(), ordinal: try reader.signed(), instant: try reader.signedInstant(),
                    label: flags == 0 ? nil : try reader.string()))
        case .profile:
            let flags = try reader.flags(allowed: 1)
            let name = try reader.string()
            self = .profile(name: name, flags == 1 ? nil : try reader.lengths())
        case .named:
            let name = try reader.string()
            let fields = try reader.string()
            guard !Action.knownNames.contains(name) else { throw .invalidValue }
            self = .unknown(.named(name, fields: fields))
        }
    }
}

extension ByteWriter {
    /// Appends the fields with which all presses on a run begin.
    fileprivate mutating func press(_ kind: Action.Kind, _ run: RunID, _ at: SharedInstant?) {
        byte(kind.rawValue)
        byte(at == nil ? 0 : 1)
        self.run(run)
        if let at { signed(at) }
    }

    /// Appends the four values of a profile.
    mutating func lengths(_ lengths: PhaseLengths) {
        for (_, value) in lengths.values { signed(value) }
    }

    /// Appends a run's id: its stamp, then its replica, 8 bytes each.
    package mutating func run(_ run: RunID) { position(run.position) }

    mutating func position(_ position: Position) {
        fixed(position.stamp.rawValue)
        fixed(position.replica.rawValue)
    }
}

extension ByteReader {
    /// Reads a byte of flags. Throws if a bit outside `allowed` is set.
    fileprivate mutating func flags(allowed: UInt8) throws(Failure) -> UInt8 {
        let flags = try byte()
        guard flags & ~allowed == 0 else { throw .invalidValue }
        return flags
    }

    /// Reads the fields with which all presses on a run begin, after the kind.
    fileprivate mutating func press() throws(Failure) -> (RunID, at: SharedInstant?) {
        let flags = try flags(allowed: 1)
        let run = try run()
        return (run, flags == 0 ? nil : try signedInstant())
    }

    /// Reads the four values of a profile, in range or not.
    mutating func lengths() throws(Failure) -> PhaseLengths {
        PhaseLengths(
            work: try signed(), shortBreak: try signed(), longBreak: try signed(),
            longBreakFrequency: try signed())
    }

    /// Reads a run's id, 16 bytes.
    ///
    /// - Throws: `Failure.truncated` if fewer bytes are left.
    package mutating func run() throws(Failure) -> RunID { RunID(try position()) }

    mutating func position() throws(Failure) -> Position {
        Position(stamp: Stamp(rawValue: try fixed()), replica: ReplicaID(rawValue: try fixed()))
    }
}
