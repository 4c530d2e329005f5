import CNCurses

/// A key, or a chord of keys, as a terminal reports it.
package enum Key: Hashable, Sendable {
    /// A key that types a character, including the space bar.
    case character(Unicode.Scalar)
    /// A pasted character: always text, never a command. Line ends and tabs are spaces.
    case pasted(Unicode.Scalar)
    /// A letter, in lower case, with Ctrl held.
    case control(Unicode.Scalar)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// Any other key, such as a chord with Alt or a function key.
    case other
}

/// Bracketed paste: if it is turned on, the terminal marks pasted text, so that it isn't taken for keys.
struct BracketedPaste {
    /// The bytes that turn it on.
    let turnOn: [UInt8]
    /// The bytes that turn it off.
    let turnOff: [UInt8]

    /// ncurses's key codes for the marks around pasted text. They are above its own codes, and fit into 16
    /// bits.
    static let startCode: Int32 = 0x7000
    static let endCode: Int32 = 0x7001

    /// Fails if terminfo has no bracketed paste for this terminal.
    init?(_ curses: lockstep_curses) {
        let turnOn = Terminfo.bytes("BE", curses)
        let turnOff = Terminfo.bytes("BD", curses)
        guard !turnOn.isEmpty, !turnOff.isEmpty, let startMark = curses.tigetstr("PS"),
            let endMark = curses.tigetstr("PE"),
            Terminfo.isText(startMark), Terminfo.isText(endMark),
            curses.define_key(startMark, BracketedPaste.startCode) == OK,
            curses.define_key(endMark, BracketedPaste.endCode) == OK
        else { return nil }
        self.turnOn = turnOn
        self.turnOff = turnOff
    }
}

/// The terminfo capabilities of the terminal in use.
enum Terminfo {
    /// Whether a pointer from `tigetstr` is a text; -1 means that the capability isn't a text.
    static func isText(_ text: UnsafeMutablePointer<CChar>) -> Bool { Int(bitPattern: text) != -1 }

    /// Returns a capability's bytes, without its pauses (`$<5>`); none if the terminal doesn't have it.
    static func bytes(_ name: String, _ curses: lockstep_curses) -> [UInt8] {
        guard let text = curses.tigetstr(name), isText(text) else { return [] }
        var bytes: [UInt8] = []
        var rest = Array(String(cString: text).utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "<"),
                let end = rest.firstIndex(of: UInt8(ascii: ">"))
            {
                rest = rest[(end + 1)...]
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
