package import FocusCore

/// A JSON value (RFC 8259), stricter than the RFC where a log must be exact: an object never has a key twice, and
/// a number is kept as it was written, so that `1` and `1.0` stay apart and none loses digits.
///
/// The toolchain's own decoders keep neither of the two promises.
package indirect enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number, as it was written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A name and its value in an object.
    package struct Member: Hashable, Sendable {
        /// What it is called, with escapes resolved. Nothing but parsing makes sure that an object has it once only.
        package let name: String
        /// What the object says under that name.
        package let value: JSON

        /// A member of an object. Its name is given without escapes: writing adds them.
        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// A whole number.
    package static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// The string, or `null` where there is none.
    package static func optional(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

    /// The whole number, or `null` where there is none.
    package static func optional(_ value: (some BinaryInteger)?) -> JSON {
        value.map { .integer($0) } ?? .null
    }

    /// The milliseconds from the Unix epoch to an instant of shared time, or `null` where there is none.
    package static func optional(_ value: SharedInstant?) -> JSON { .optional(value?.milliseconds) }

    /// The milliseconds from the Unix epoch to an instant of shared time.
    package static func instant(_ value: SharedInstant) -> JSON { .integer(value.milliseconds) }

    /// The whole milliseconds of a length of time.
    package static func milliseconds(_ value: Duration) -> JSON { .integer(value.inMilliseconds) }

    /// What a string says; nil where this is none.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number; nil where this is none, or one beyond 64 bits.
    package var number: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    /// The value of an object's member; nil where there is none, or this is no object. Cost: linear in members.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON on one line, without spaces between its parts.
    package var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let value): JSON.write(value, to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                JSON.write(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // What would garble a terminal stands here by its number: the text that is read back is the same.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// The same value with the members of every object ordered by name (by their UTF-8).
    package var ordered: JSON {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let elements): .array(elements.map { $0.ordered })
        case .object(let members):
            .object(
                members.map { Member($0.name, $0.value.ordered) }
                    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        }
    }
}
