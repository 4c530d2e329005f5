/// How Lockstep names entries in the formats that have room for a name, so that what it wrote comes in again as what
/// it was: `lockstep:` and the entry's source.
enum OwnName {
    private static let mark = "lockstep:"

    static func text(_ source: String) -> String { mark + source }

    /// The source that a name stands for; nil where Lockstep didn't give it.
    static func source(_ name: String) -> String? {
        name.dropping(mark)
    }
}

extension String {
    /// What follows `mark` at the text's start; nil where the text doesn't begin so, or nothing follows. By scalars:
    /// what follows may join its first one to the mark's last as one character.
    func dropping(_ mark: String) -> String? {
        guard utf8.starts(with: mark.utf8), utf8.count > mark.utf8.count else { return nil }
        return String(Substring(utf8.dropFirst(mark.utf8.count)))
    }
}
