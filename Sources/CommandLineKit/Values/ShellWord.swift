/// Words as a person types them into a shell.
package enum ShellWord {
    /// The word as it is, or quoted where a POSIX shell would take it for something else (Shell Command Language,
    /// "Quoting").
    package static func quoted(_ word: String) -> String {
        let isPlain = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:,@%".utf8.contains(byte)
            }
        }
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}
