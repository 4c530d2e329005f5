import CNCurses

/// A key, or a chord of them, as a terminal tells it.
package enum Key: Hashable, Sendable {
    /// What types a character; the space bar too.
    case character(Unicode.Scalar)
    /// A character that was pasted: it is text, whatever the key of that name does. Line ends and tabs are spaces.
    case pasted(Unicode.Scalar)
    /// A letter, in lower case, with Ctrl held.
    case control(Unicode.Scalar)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// Any other: a chord with Alt, a function key.
    case other
}

/// What a terminal tells of pasted text, so that it can be told from keys: bracketed paste, where terminfo knows it.
struct Pasting {
    /// What asks the terminal for it, and what has it stop.
    let begin: [UInt8]
    let end: [UInt8]

    /// The codes of ncurses for what stands around pasted text: above its own, and of 16 bits, as it keeps them.
    static let startCode: Int32 = 0x7000
    static let endCode: Int32 = 0x7001

    /// Nil where the terminal doesn't tell.
    init?(_ curses: lockstep_curses) {
        let begin = Capability.bytes("BE", curses)
        let end = Capability.bytes("BD", curses)
        guard !begin.isEmpty, !end.isEmpty, let start = curses.tigetstr("PS"),
            let stop = curses.tigetstr("PE"),
            Capability.isText(start), Capability.isText(stop),
            curses.define_key(start, Pasting.startCode) == OK,
            curses.define_key(stop, Pasting.endCode) == OK
        else { return nil }
        self.begin = begin
        self.end = end
    }
}

/// What terminfo says of the terminal that is taken over.
enum Capability {
    /// Whether a pointer of `tigetstr` is a text: -1 says that there can be no such one.
    static func isText(_ text: UnsafeMutablePointer<CChar>) -> Bool { Int(bitPattern: text) != -1 }

    /// The bytes of a capability, less the pauses that it asks for (`$<5>`); none where the terminal hasn't got it.
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
