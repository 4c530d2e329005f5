/// Reads dates and times off the front of a text, piece by piece.
package struct TimeScanner {
    private var rest: Substring.UTF8View

    /// Reads this text from its front; white space there is not passed over.
    package init(_ text: some StringProtocol) { rest = Substring(text).utf8 }

    /// Whether all of the text has been read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Takes a number of exactly so many digits; nil where none stands there.
    package mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Takes one of the characters of `choices`, which are ASCII; false where none stands there.
    package mutating func skip(_ choices: String) -> Bool {
        guard let next = rest.first, choices.utf8.contains(next) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Takes a decimal point and the digits after it as thousandths, 0 where there is no point; nil where no digit
    /// follows. What is finer is cut off.
    package mutating func thousandths() -> Int64? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix(while: isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let thousandths = String(decoding: digits.prefix(3), as: UTF8.self)
        return Int64(thousandths + String(repeating: "0", count: 3 - thousandths.count))
    }

    /// Takes `Z`, or an offset as `+01:00`, and gives it in minutes east of UTC; nil where neither stands there.
    package mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
