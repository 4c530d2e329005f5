import FocusCore

/// The fields of an event's line, read by name and type.
struct EventFields {
    /// The first value of each field, by its name.
    private let fields: [String: JSON]
    /// All fields, in the order of the line.
    private let members: [JSON.Member]

    init(_ members: [JSON.Member]) {
        self.members = members
        var fields = [String: JSON](minimumCapacity: members.count)
        for member in members where fields[member.name] == nil { fields[member.name] = member.value }
        self.fields = fields
    }

    /// The names of the fields that identify the event or that `export` adds. All other
    /// fields belong to the action.
    private static let envelope: Set<String> = ["replica", "seq", "ms", "counter", "action", "epoch", "raw"]

    /// Returns the action of the line. An action with a name that this version doesn't
    /// know keeps all its fields.
    ///
    /// - Throws: `EventLine.Malformed` if a field of the action is missing or has the wrong type.
    func action() throws(EventLine.Malformed) -> Action {
        let name = try string("action")
        if let raw = try optionalString("raw") {
            guard let bytes = Base64.decode(raw) else { throw mistyped("raw", "base64") }
            return Action(encoded: bytes)
        }
        switch name {
        case "start":
            return .start(
                Action.Start(
                    label: try optionalString("label"), after: try optionalRun("after"),
                    offline: try optionalBool("offline") ?? false, at: try optionalInstant("at"),
                    length: try optionalWhole("length"), begins: try optionalInstant("begins"),
                    rest: try optionalBool("break") ?? false))
        case "pause": return .pause(try run(), at: try optionalInstant("at"))
        case "resume": return .resume(try run(), at: try optionalInstant("at"))
        case "stop": return .stop(try run(), at: try optionalInstant("at"))
        case "skip": return .skip(try run(), ordinal: try whole("ordinal"), at: try optionalInstant("at"))
        case "complete":
            return .complete(try run(), ordinal: try whole("ordinal"), at: try optionalInstant("at"))
        case "break": return .rest(try run(), ordinal: try whole("ordinal"), at: try optionalInstant("at"))
        case "adjust":
            return .adjust(
                try run(), ordinal: try whole("ordinal"), seconds: try whole("seconds"),
                at: try optionalInstant("at"))
        case "label": return .label(try run(), text: try string("text"), at: try optionalInstant("at"))
        case "adopt": return .adopt(try run())
        case "set": return .set(key: try string("key"), value: try whole("value"))
        case "profile":
            return .profile(
                name: try string("name"), try optionalBool("removed") ?? false ? nil : try lengths())
        case "device":
            return .device(
                name: try string("name"), key: try optionalString("key"),
                publicKey: try optionalBytes("publicKey"))
        case "record":
            return .record(
                Action.Record(
                    activity: try string("activity"), startedAt: try instant("startedAt"),
                    endedAt: try instant("endedAt"), outcome: try string("outcome"),
                    label: try string("label"),
                    source: try string("source")))
        case "amend":
            return .amend(
                Action.Amend(
                    run: try run(), ordinal: try whole("ordinal"), label: try optionalString("label"),
                    removed: try optionalBool("removed")))
        case "retime":
            return .retime(
                Action.Retime(
                    run: try run(), ordinal: try whole("ordinal"), startedAt: try instant("startedAt"),
                    endedAt: try instant("endedAt"), shift: .milliseconds(try whole("shift"))))
        case "split":
            return .split(
                Action.Split(
                    run: try run(), ordinal: try whole("ordinal"), instant: try instant("instant"),
                    label: try optionalString("label")))
        case "revoke": return .revoke(try digest("key"))
        case "readmit": return .readmit(try digest("key"))
        case "undo": return .undo(try eventID("target"))
        default:
            let own = members.filter { !EventFields.envelope.contains($0.name) }
            return .unknown(.named(name, fields: JSON.object(own).ordered.description))
        }
    }

    private func lengths() throws(EventLine.Malformed) -> PhaseLengths {
        PhaseLengths(
            work: try whole(SettingKey.workLength.rawValue),
            shortBreak: try whole(SettingKey.shortBreakLength.rawValue),
            longBreak: try whole(SettingKey.longBreakLength.rawValue),
            longBreakFrequency: try whole(SettingKey.longBreakFrequency.rawValue))
    }

    // MARK: - Fields by type

    /// Returns a field's value; nil if it is null or missing.
    private func present(_ name: String) -> JSON? {
        guard let value = fields[name], value != .null else { return nil }
        return value
    }

    /// Returns the error of a field that isn't `wanted`.
    private func mistyped(_ name: String, _ wanted: String) -> EventLine.Malformed {
        .mistyped(field: name, wanted: wanted)
    }

    /// Returns the value of a field. If the value is nil, throws because the field is missing or null.
    private func required<Value>(_ name: String, _ value: Value?) throws(EventLine.Malformed) -> Value {
        guard let value else {
            throw fields[name] == nil ? .missing(field: name) : mistyped(name, "there: it is null")
        }
        return value
    }

    func string(_ name: String) throws(EventLine.Malformed) -> String {
        try required(name, try optionalString(name))
    }

    private func optionalString(_ name: String) throws(EventLine.Malformed) -> String? {
        guard let value = present(name) else { return nil }
        guard case .string(let text) = value else { throw mistyped(name, "a string") }
        return text
    }

    private func optionalBytes(_ name: String) throws(EventLine.Malformed) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        guard let bytes = bytes(hexadecimal: text) else { throw mistyped(name, "bytes as hex digits") }
        return bytes
    }

    func whole(_ name: String) throws(EventLine.Malformed) -> Int64 {
        try required(name, try optionalWhole(name))
    }

    private func optionalWhole(_ name: String) throws(EventLine.Malformed) -> Int64? {
        guard let value = present(name) else { return nil }
        guard case .number(let digits) = value, let whole = Int64(digits) else {
            throw mistyped(name, "a whole number of 64 bits")
        }
        return whole
    }

    func instant(_ name: String) throws(EventLine.Malformed) -> SharedInstant {
        SharedInstant(milliseconds: try whole(name))
    }

    private func optionalInstant(_ name: String) throws(EventLine.Malformed) -> SharedInstant? {
        try optionalWhole(name).map(SharedInstant.init(milliseconds:))
    }

    /// Returns the seq of an event that this one refers to. Any value is accepted and kept as it was written,
    /// even if there is no such event.
    private func seq() throws(EventLine.Malformed) -> UInt64 {
        guard let value = present("seq") else { return try required("seq", nil) }
        guard case .number(let digits) = value, let seq = UInt64(digits) else {
            throw mistyped("seq", "a whole number from 0 to 2^64 − 1")
        }
        return seq
    }

    private func optionalBool(_ name: String) throws(EventLine.Malformed) -> Bool? {
        guard let value = present(name) else { return nil }
        guard case .bool(let bool) = value else { throw mistyped(name, "true or false") }
        return bool
    }

    func replica(_ name: String) throws(EventLine.Malformed) -> ReplicaID {
        guard let replica = ReplicaID(text: try string(name)) else {
            throw mistyped(name, "16 lower-case hex digits")
        }
        return replica
    }

    func epoch(_ name: String) throws(EventLine.Malformed) -> EpochID? {
        guard let text = try optionalString(name) else { return nil }
        guard let epoch = EpochID(text: text) else { throw mistyped(name, "16 lower-case hex digits") }
        return epoch
    }

    private func digest(_ name: String) throws(EventLine.Malformed) -> Digest {
        guard let digest = Digest(hexadecimal: try string(name)) else {
            throw mistyped(name, "64 lower-case hex digits")
        }
        return digest
    }

    private func run() throws(EventLine.Malformed) -> RunID { try required("run", try optionalRun("run")) }

    private func optionalRun(_ name: String) throws(EventLine.Malformed) -> RunID? {
        guard let text = try optionalString(name) else { return nil }
        guard let run = RunID(text: text) else { throw mistyped(name, "a run, ms.counter@replica") }
        return run
    }

    private func eventID(_ name: String) throws(EventLine.Malformed) -> EventID {
        guard case .object(let members)? = present(name) else {
            throw fields[name] == nil
                ? .missing(field: name) : mistyped(name, "an event, {\"replica\":…,\"seq\":…}")
        }
        let inner = EventFields(members)
        return EventID(replica: try inner.replica("replica"), seq: try inner.seq())
    }
}

/// Base64 with padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns the encoding of these bytes on one line: four characters for every three bytes. The last four
    /// are padded if fewer bytes are left.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for offset in 0..<3 { bits = bits << 8 | UInt32(group.dropFirst(offset).first ?? 0) }
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes, or nil if the text isn't exactly the output of `encode`.
    package static func decode(_ text: String) -> [UInt8]? {
        var bits: UInt32 = 0
        var bitCount = 0
        var bytes: [UInt8] = []
        for character in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return encode(bytes) == text ? bytes : nil
    }
}
