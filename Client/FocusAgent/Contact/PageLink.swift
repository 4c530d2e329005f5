import FocusText

/// What the agent says to whoever asks for a link to the page.
package enum PageLink: Hashable {
    case link(String)
    /// Why there is none, as sentences.
    case problem(String)

    /// One line of JSON.
    var line: String {
        let member =
            switch self {
            case .link(let link): JSON.Member("link", .string(link))
            case .problem(let sentence): JSON.Member("problem", .string(sentence))
            }
        return JSON.object([member]).description + "\n"
    }

    /// What a line of JSON says; nil where it says neither.
    init?(line: [UInt8]) {
        guard let json = try? JSON(parsing: line) else { return nil }
        if let link = json["link"]?.text {
            self = .link(link)
        } else if let sentence = json["problem"]?.text {
            self = .problem(sentence)
        } else {
            return nil
        }
    }
}
