import CommandLineKit

/// The first hexadecimal digits of an id, by which a person names one of several things in a list.
struct IDDigits {
    let text: String

    /// The one of `all` that is meant.
    ///
    /// - Parameters:
    ///   - kind: what they are, as in "No device's id begins with 1f".
    ///   - list: the command that lists them.
    /// - Throws: where there is none, or more than one.
    func choose<Item>(
        of all: [Item], _ kind: String, listedBy list: String, id: (Item) -> String
    ) throws(CommandFailure) -> Item {
        let matches = all.filter { id($0).hasPrefix(text.lowercased()) }
        guard let match = matches.first else {
            throw CommandFailure("No \(kind)'s id begins with \(text). This lists them: \(list)")
        }
        guard matches.count == 1 else {
            throw CommandFailure("\(matches.count) \(kind)s' ids begin with \(text). Give more digits.")
        }
        return match
    }
}
