package import FocusDevice
package import FocusNet
import FocusText

/// What serves this laptop's page, as part of its agent (docs/page.md). It lives on the agent's loop.
package protocol AgentPage: AnyObject {
    /// Listens again where it did before the agent was started anew, as long as some browser may come back.
    func resume()
    /// The log may have changed.
    func refresh()
    /// Whether a browser shows it.
    var isLookedAt: Bool { get }
    /// A link that lets one browser in.
    func link() -> PageLink
    /// Ends what all browsers were let in by, and links that nobody has used yet.
    ///
    /// - Throws: where that can't be written down.
    func forgetBrowsers() throws
    /// The agent ends.
    func close()
}

/// What a page needs of the agent that it is part of. All is to be called on its loop.
package struct PageSurroundings {
    /// The agent's own, open for writing.
    package let device: Device
    /// The agent's loop, on which the page lives.
    package let loop: EventLoop
    /// Tells the agent's log of something.
    package let log: (AgentLogEvent) -> Void
    /// Lets the agent notice a sleep that has just ended, before something is pressed.
    package let lookForSleep: () -> Void
    /// Lets the agent know that a browser shows the page.
    package let someoneLooks: () -> Void
    /// Gives the system back what was freed of a large document.
    package let returnMemory: () -> Void
    /// Lets the agent know that something was pressed on a page.
    package let tellOthers: () -> Void
}

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
