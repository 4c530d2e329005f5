/// A value of D-Bus. Of file descriptors, nothing is known.
package indirect enum BusValue: Hashable, Sendable {
    /// `b`.
    case bool(Bool)
    /// `y`.
    case byte(UInt8)
    /// `n`.
    case int16(Int16)
    /// `q`.
    case uint16(UInt16)
    /// `i`.
    case int32(Int32)
    /// `u`.
    case uint32(UInt32)
    /// `x`.
    case int64(Int64)
    /// `t`.
    case uint64(UInt64)
    /// `d`.
    case double(Double)
    /// `s`. NUL can't be sent: the text ends before it.
    case string(String)
    /// `o`: an object's path.
    case path(String)
    /// `g`: a signature.
    case type(String)
    /// `ay`.
    case bytes([UInt8])
    /// Other arrays: elements, and their type. The entries of a dictionary that isn't `a{sv}` are structures
    /// of two values; its type of elements is then such as `{ss}`.
    case array([BusValue], of: String)
    /// `a{sv}`: names and values, which are variants on the bus only.
    case dictionary([String: BusValue])
    /// A structure of at least one value.
    case structure([BusValue])
    /// `v`.
    case variant(BusValue)
}

extension BusValue {
    /// An array of texts, `as`.
    package static func strings(_ texts: [String]) -> BusValue { .array(texts.map { .string($0) }, of: "s") }

    /// The type.
    package var signature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .type: "g"
        case .bytes: "ay"
        case .array(_, let element): "a\(element)"
        case .dictionary: "a{sv}"
        case .structure(let values): "(\(values.map(\.signature).joined()))"
        case .variant: "v"
        }
    }

    /// The value inside any variants.
    package var plain: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// The text or path; nil for other types.
    package var text: String? {
        switch plain {
        case .string(let text), .path(let text): text
        default: nil
        }
    }

    /// The Boolean; nil for other types.
    package var isTrue: Bool? { if case .bool(let value) = plain { value } else { nil } }

    /// The integer of any size; nil for other types, and above `Int64.max`.
    package var integer: Int64? {
        switch plain {
        case .byte(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .uint16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        case .int64(let value): value
        case .uint64(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The elements of an array or a structure; nil for other types.
    package var elements: [BusValue]? {
        switch plain {
        case .array(let values, _), .structure(let values): values
        default: nil
        }
    }

    /// The values of an `a{sv}`; nil for other types.
    package var entries: [String: BusValue]? {
        if case .dictionary(let entries) = plain { entries } else { nil }
    }
}

/// The limits of values that are received or sent.
enum BusLimits {
    /// The greatest size of a message, in bytes.
    static let message = 1 << 20
    /// The greatest number of values in a message.
    static let values = 65_536
    /// The greatest depth of arrays, structures and variants.
    static let depth = 16
    /// The greatest number of bytes that wait to be sent.
    static let unsent = 2 << 20
    /// The greatest number of calls that wait for answers.
    static let calls = 256
    /// The number of messages that are handled in a turn of the loop.
    static let turn = 64
}
