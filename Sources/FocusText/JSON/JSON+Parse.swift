extension JSON {
    /// The error of a text that is not JSON, with its position.
    package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// The kind of error.
        package enum Problem: Hashable, Sendable {
            case unexpectedEnd
            case unexpectedCharacter
            case malformedNumber
            case malformedString
            case malformedEscape
            case notUTF8
            case doubledKey(String)
            case tooDeep
            case trailingText
        }

        /// The kind of error at `column`.
        package let problem: Problem
        /// The position in the whole text at which parsing failed: a byte, counted
        /// from 1. Lines aren't counted.
        package let column: Int

        package var description: String {
            let what =
                switch problem {
                case .unexpectedEnd: "the text ends too early"
                case .unexpectedCharacter: "unexpected character"
                case .malformedNumber: "malformed number"
                case .malformedString: "control character in a string"
                case .malformedEscape: "malformed escape in a string"
                case .notUTF8: "the text is not UTF-8"
                case .doubledKey(let key): "the key \"\(key)\" stands there twice"
                case .tooDeep: "nested too deep"
                case .trailingText: "more text after the value"
                }
            return "\(what) (column \(column))"
        }
    }

    /// The most levels to which arrays and objects may be nested.
    package static let depthLimit = 64

    /// Parses a text. Cost: linear in the text.
    ///
    /// - Throws: `Malformed` if the text is not JSON, an object has a key twice, or the
    ///   nesting exceeds `depthLimit`.
    package init(parsing text: some Sequence<UInt8>) throws(Malformed) {
        var parser = JSONParser(Array(text))
        self = try parser.document()
    }
}

/// A recursive-descent parser over the bytes of a text.
private struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSON.Malformed) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw malformed(.trailingText) }
        return value
    }

    private func malformed(_ problem: JSON.Malformed.Problem) -> JSON.Malformed {
        JSON.Malformed(problem: problem, column: index + 1)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    /// Skips the character. Throws if another one comes next.
    private mutating func expect(_ scalar: Unicode.Scalar) throws(JSON.Malformed) {
        guard let byte = next else { throw malformed(.unexpectedEnd) }
        guard byte == UInt8(ascii: scalar) else { throw malformed(.unexpectedCharacter) }
        index += 1
    }

    /// Skips the character if it comes next, and returns whether it did.
    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSON.Malformed) -> JSON {
        guard depth <= JSON.depthLimit else { throw malformed(.tooDeep) }
        skipSpace()
        guard let byte = next else { throw malformed(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw malformed(.unexpectedCharacter)
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSON.Malformed) -> JSON {
        for scalar in word.description.unicodeScalars { try expect(scalar) }
        return value
    }

    private mutating func object(depth: Int) throws(JSON.Malformed) -> JSON {
        try expect("{")
        var members: [JSON.Member] = []
        var names: Set<[UInt8]> = []
        skipSpace()
        if skip("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw malformed(.doubledKey(name)) }
            skipSpace()
            try expect(":")
            members.append(JSON.Member(name, try value(depth: depth + 1)))
            skipSpace()
        } while skip(",")
        try expect("}")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSON.Malformed) -> JSON {
        try expect("[")
        var elements: [JSON] = []
        skipSpace()
        if skip("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while skip(",")
        try expect("]")
        return .array(elements)
    }

    private mutating func number() throws(JSON.Malformed) -> JSON {
        let start = index
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// Skips one or more digits.
    private mutating func digits() throws(JSON.Malformed) {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw malformed(.malformedNumber) }
    }

    private mutating func string() throws(JSON.Malformed) -> String {
        try expect("\"")
        let start = index
        var content: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    index = start
                    throw malformed(.notUTF8)
                }
                return text
            case UInt8(ascii: "\\"): content.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw malformed(.malformedString)
            default: content.append(byte)
            }
        }
        throw malformed(.unexpectedEnd)
    }

    /// Reads the rest of an escape, after its backslash.
    private mutating func escape() throws(JSON.Malformed) -> Unicode.Scalar {
        guard let byte = next else { throw malformed(.unexpectedEnd) }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let high = try codeUnit()
            guard UTF16.isLeadSurrogate(high) else { return try scalar(UInt32(high)) }
            guard skip("\\"), skip("u") else { throw malformed(.malformedEscape) }
            let low = try codeUnit()
            guard UTF16.isTrailSurrogate(low) else { throw malformed(.malformedEscape) }
            return try scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        default: throw malformed(.malformedEscape)
        }
    }

    private func scalar(_ value: UInt32) throws(JSON.Malformed) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw malformed(.malformedEscape) }
        return scalar
    }

    /// Reads the four hexadecimal digits of an escape.
    private mutating func codeUnit() throws(JSON.Malformed) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed(.malformedEscape)
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}
