package import FocusCore

/// A JSON value (RFC 8259), stricter than the RFC because a log must be exact. Parsing refuses an object with
/// a key twice. A number is kept as it was written, so `1` and `1.0` stay different and no digit is lost.
///
/// The toolchain's own decoders don't guarantee these two rules.
package indirect enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number in its original notation.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A name and its value in an object.
    package struct Member: Hashable, Sendable {
        /// The name, with escapes resolved. Only parsing ensures that an object has each name once.
        package let name: String
        /// The value.
        package let value: JSON

        /// Creates a member. The name is given without escapes; writing adds them.
        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Returns a whole number.
    package static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// Returns the string, or `null` if it is nil.
    package static func optional(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

    /// Returns the whole number, or `null` if it is nil.
    package static func optional(_ value: (some BinaryInteger)?) -> JSON {
        value.map { .integer($0) } ?? .null
    }

    /// Returns the milliseconds from the Unix epoch to an instant of shared time, or `null` if it is nil.
    package static func optional(_ value: SharedInstant?) -> JSON { .optional(value?.milliseconds) }

    /// Returns the milliseconds from the Unix epoch to an instant of shared time.
    package static func instant(_ value: SharedInstant) -> JSON { .integer(value.milliseconds) }

    /// Returns the whole milliseconds of a duration.
    package static func milliseconds(_ value: Duration) -> JSON { .integer(value.inMilliseconds) }

    /// The text of a string; nil if this is no string.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number; nil if this is none, or if it doesn't fit into 64 bits.
    package var number: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    /// The value of an object's member; nil if there is none, or if this is no object.
    /// Cost: linear in the members.
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

    /// Appends a string in quotes, with escapes.
    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // Characters that would garble a terminal are written by their numbers.
            // Parsing returns the same text.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// The same value, with the members of every object sorted by the UTF-8 of their names.
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
