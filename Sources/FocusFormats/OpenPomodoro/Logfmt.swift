/// logfmt: `key=value` pairs with spaces between them; a value with spaces or such stands in quotes.
enum Logfmt {
    /// The pairs of a text, in their order; a key alone has the empty value.
    static func pairs(_ text: Substring, line: Int) throws(BadFile) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        var rest = text.unicodeScalars
        while true {
            rest = rest.drop { $0.properties.isWhitespace }
            let key = rest.prefix { !$0.properties.isWhitespace && $0 != "=" && $0 != "\"" }
            rest = rest[key.endIndex...]
            guard !key.isEmpty else {
                if rest.isEmpty { return pairs }
                throw BadFile(line: line, "'\(Substring(rest))' is not key=value")
            }
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst()
                value = try rest.first == "\"" ? quoted(&rest, line) : plain(&rest)
            }
            pairs.append((String(key), value))
        }
    }

    private static func plain(_ rest: inout Substring.UnicodeScalarView) -> String {
        let value = rest.prefix { !$0.properties.isWhitespace }
        rest = rest[value.endIndex...]
        return String(value)
    }

    private static func quoted(
        _ rest: inout Substring.UnicodeScalarView, _ line: Int
    ) throws(BadFile) -> String {
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            case "\\": value.append(unescaped(&rest))
            default: value.append(scalar)
            }
        }
        throw BadFile(line: line, "a quote that opens is never closed")
    }

    private static func unescaped(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
        switch rest.popFirst() {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let digits = rest.prefix(4)
            guard digits.count == 4, let value = UInt32(String(digits), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { return "\u{FFFD}" }
            rest = rest[digits.endIndex...]
            return scalar
        case let scalar?: return scalar
        case nil: return "\\"
        }
    }

    /// A value as it stands after its key: in quotes where it needs them.
    static func value(_ text: String) -> String {
        let isPlain = { (byte: UInt8) in byte > 0x20 && !"\"\\=".utf8.contains(byte) && byte < 0x7F }
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        var value = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { value += "\\" }
            value.unicodeScalars.append(scalar)
        }
        return value + "\""
    }
}
