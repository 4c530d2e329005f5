package import FocusCore

/// One line of a log as text (docs/commands.md, "A log as text"): an event, and the epoch that
/// it was sealed under, if any.
package struct EventLine: Hashable, Sendable {
    /// The event in the line. Whether it fits into a log is only checked when it is merged.
    package let event: Event
    /// The epoch that the event was sealed under; nil if the line names none.
    package let epoch: EpochID?

    /// Creates the line of an event, by default without an epoch.
    package init(_ event: Event, epoch: EpochID? = nil) {
        self.event = event
        self.epoch = epoch
    }
}

extension EventLine {
    /// The reason why a line is not an event.
    package enum Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        case notJSON(JSON.Malformed)
        case notAnObject
        case missing(field: String)
        /// The field is not `wanted`, which is read after "is not".
        case mistyped(field: String, wanted: String)
        /// The event's stamp is 2^63 or more.
        case stampTooLarge

        package var description: String {
            switch self {
            case .notJSON(let problem): "not JSON: \(problem)"
            case .notAnObject: "not a JSON object"
            case .missing(let field): "\"\(field)\" is missing"
            case .mistyped(let field, let wanted): "\"\(field)\" is not \(wanted)"
            case .stampTooLarge: "\"ms\" is past the last instant a stamp can have"
            }
        }
    }

    /// Parses a line of text.
    package init(parsing line: some Sequence<UInt8>) throws(Malformed) {
        let object: JSON
        do throws(JSON.Malformed) {
            object = try JSON(parsing: line)
        } catch {
            throw .notJSON(error)
        }
        guard case .object(let members) = object else { throw .notAnObject }
        let fields = EventFields(members)
        let replica = try fields.replica("replica")
        let seq = try fields.whole("seq")
        guard seq >= 1 else { throw .mistyped(field: "seq", wanted: "1 or more") }
        let time = try fields.instant("ms")
        guard time >= .zero else { throw .mistyped(field: "ms", wanted: "0 or more") }
        let counter = try fields.whole("counter")
        guard let counter = UInt16(exactly: counter) else {
            throw .mistyped(field: "counter", wanted: "in 0…65535")
        }
        guard let stamp = Stamp(time: time, counter: counter) else { throw .stampTooLarge }
        let action = try fields.action()
        event = Event(replica: replica, seq: UInt64(seq), stamp: stamp, action: action)
        epoch = try fields.epoch("epoch")
    }
}

extension EventLine: CustomStringConvertible {
    /// The line, without its newline.
    package var description: String { json.description }

    private var json: JSON {
        var members = [
            JSON.Member("replica", .string(event.id.replica.text)),
            JSON.Member("seq", .integer(event.id.seq)),
            JSON.Member("ms", .instant(event.stamp.time)),
            JSON.Member("counter", .integer(event.stamp.counter)),
        ]
        members += event.action.members
        if let epoch { members.append(JSON.Member("epoch", .string(epoch.text))) }
        return .object(members)
    }
}

extension PhaseLengths {
    /// The values under the names of their settings.
    package var members: [JSON.Member] { values.map { JSON.Member($0.key.rawValue, .integer($0.value)) } }
}

extension Action {
    /// The action's name in a log as text.
    package var name: String { members.first?.value.text ?? "" }

    /// The action's name and fields, in the order of docs/timer-rules.md §1.
    fileprivate var members: [JSON.Member] {
        switch self {
        case .start(let start):
            var members = named(
                "start", ("label", .optional(start.label)), ("after", .optional(start.after?.text)),
                ("offline", .bool(start.offline)))
            members += instant(start.at)
            if let length = start.length { members.append(JSON.Member("length", .integer(length))) }
            members += instant(start.begins, named: "begins")
            if start.rest { members.append(JSON.Member("break", .bool(true))) }
            return members
        case .pause(let run, let at): return named("pause", ("run", .string(run.text))) + instant(at)
        case .resume(let run, let at): return named("resume", ("run", .string(run.text))) + instant(at)
        case .stop(let run, let at): return named("stop", ("run", .string(run.text))) + instant(at)
        case .skip(let run, let ordinal, let at):
            return named("skip", ("run", .string(run.text)), ("ordinal", .integer(ordinal))) + instant(at)
        case .complete(let run, let ordinal, let at):
            return named("complete", ("run", .string(run.text)), ("ordinal", .integer(ordinal))) + instant(at)
        case .rest(let run, let ordinal, let at):
            return named("break", ("run", .string(run.text)), ("ordinal", .integer(ordinal))) + instant(at)
        case .adjust(let run, let ordinal, let seconds, let at):
            let members = named(
                "adjust", ("run", .string(run.text)), ("ordinal", .integer(ordinal)),
                ("seconds", .integer(seconds)))
            return members + instant(at)
        case .label(let run, let text, let at):
            return named("label", ("run", .string(run.text)), ("text", .string(text))) + instant(at)
        case .adopt(let run): return named("adopt", ("run", .string(run.text)))
        case .set(let key, let value): return named("set", ("key", .string(key)), ("value", .integer(value)))
        case .profile(let name, let lengths):
            let members = named("profile", ("name", .string(name)))
            return members + (lengths?.members ?? [JSON.Member("removed", .bool(true))])
        case .device(let name, let key, let publicKey):
            let shown = publicKey.map { [JSON.Member("publicKey", .string(hexadecimal($0)))] } ?? []
            return named("device", ("name", .string(name)), ("key", .optional(key))) + shown
        case .record(let record):
            return named(
                "record", ("activity", .string(record.activity)), ("startedAt", .instant(record.startedAt)),
                ("endedAt", .instant(record.endedAt)), ("outcome", .string(record.outcome)),
                ("label", .string(record.label)), ("source", .string(record.source)))
        case .amend(let amend):
            return named(
                "amend", ("run", .string(amend.run.text)), ("ordinal", .integer(amend.ordinal)),
                ("label", .optional(amend.label)), ("removed", amend.removed.map(JSON.bool) ?? .null))
        case .retime(let retime):
            return named(
                "retime", ("run", .string(retime.run.text)), ("ordinal", .integer(retime.ordinal)),
                ("startedAt", .instant(retime.startedAt)), ("endedAt", .instant(retime.endedAt)),
                ("shift", .milliseconds(retime.shift)))
        case .split(let split):
            return named(
                "split", ("run", .string(split.run.text)), ("ordinal", .integer(split.ordinal)),
                ("instant", .instant(split.instant)), ("label", .optional(split.label)))
        case .undo(let target):
            return named(
                "undo",
                (
                    "target",
                    .object([
                        JSON.Member("replica", .string(target.replica.text)),
                        JSON.Member("seq", .integer(target.seq)),
                    ])
                ))
        case .revoke(let key): return named("revoke", ("key", .string(key.hexadecimal)))
        case .readmit(let key): return named("readmit", ("key", .string(key.hexadecimal)))
        case .unknown(.named(let name, let fields)):
            // The fields were written by `EventFields`, or came sealed from another program. If they aren't a
            // JSON object of the action's own fields, the action is written raw.
            if case .object(let own)? = try? JSON(parsing: fields.utf8), isPlain(own, name) {
                return named(name) + own
            }
            return raw(encoded())
        case .unknown(.encoded(let bytes)): return raw(bytes)
        }
    }

    /// Whether a line with these fields parses as exactly this action.
    private func isPlain(_ own: [JSON.Member], _ name: String) -> Bool {
        let line =
            JSON.object(
                [
                    JSON.Member("replica", .string("0000000000000000")), JSON.Member("seq", .integer(1)),
                    JSON.Member("ms", .integer(0)), JSON.Member("counter", .integer(0)),
                ] + named(name) + own
            ).description
        return (try? EventLine(parsing: line.utf8))?.event.action.encoded() == encoded()
    }

    private func named(_ name: String, _ fields: (String, JSON)...) -> [JSON.Member] {
        [JSON.Member("action", .string(name))] + fields.map { JSON.Member($0.0, $0.1) }
    }

    /// Returns the members of an action that is written as its encoding, in base64.
    private func raw(_ bytes: [UInt8]) -> [JSON.Member] {
        named("unknown", ("raw", .string(Base64.encode(bytes))))
    }

    /// Returns the member with an instant, or none if the action doesn't have it.
    private func instant(_ instant: SharedInstant?, named name: String = "at") -> [JSON.Member] {
        instant.map { [JSON.Member(name, .instant($0))] } ?? []
    }
}

/// A log as text: JSON Lines, with one event on each line.
package enum LogText {
    /// The error of a line that isn't an event.
    package struct BadLine: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line's number, from 1.
        package let number: Int
        /// The reason why the line isn't an event. No line after it was read.
        package let problem: EventLine.Malformed

        package var description: String { "line \(number): \(problem)" }
    }

    /// Parses the lines of a text. Byte order marks and blank lines are skipped. Cost: linear in the text.
    ///
    /// - Throws: `BadLine` for the first line that isn't an event.
    package static func parse(_ text: [UInt8]) throws(BadLine) -> [EventLine] {
        var lines: [EventLine] = []
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = line.withoutByteOrderMark
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            do throws(EventLine.Malformed) {
                lines.append(try EventLine(parsing: line))
            } catch {
                throw BadLine(number: number, problem: error)
            }
        }
        return lines
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes begin with the byte order mark of UTF-8.
    package var beginsWithByteOrderMark: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }

    /// The bytes without a byte order mark at the beginning.
    package var withoutByteOrderMark: ArraySlice { beginsWithByteOrderMark ? dropFirst(3) : self }
}
