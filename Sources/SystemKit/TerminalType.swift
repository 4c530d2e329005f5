/// What the terminal may be called in the system's database of terminals (terminfo).
package enum TerminalType {
    /// The names to look for there, the best first: `TERM`, and before it the form of it that has true colours
    /// (`xterm-direct` for `xterm-256color`), where `COLORTERM` says that the terminal does.
    package static func names(_ environment: Environment) -> [String] {
        let type = environment["TERM"] ?? ""
        guard ["truecolor", "24bit"].contains(environment["COLORTERM"]), !type.isEmpty else { return [type] }
        let palette = "-256color"
        let stem = type.hasSuffix(palette) ? String(type.dropLast(palette.count)) : type
        return ["\(stem)-direct", type]
    }
}
