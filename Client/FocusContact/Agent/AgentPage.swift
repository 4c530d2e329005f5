package import FocusDevice
package import FocusNet
import FocusText

/// The part of the agent that serves this laptop's page (docs/page.md). It lives on the agent's loop.
package protocol AgentPage: AnyObject {
    /// Listens again at the page's former address after a restart of the agent, if a browser or a calendar
    /// program may come back.
    func resume()
    /// Reads the log again, because it may have changed, and shows the result.
    func refresh()
    /// Whether a browser shows the page.
    var hasViewers: Bool { get }
    /// Returns a link that lets one browser in, or the reason why there is none.
    func link() -> PageLink
    /// Makes the calendar feed and returns its address, or the reason why there is none. If there is one
    /// already, replaces it if `isRenewing`.
    func calendarAddress(renewing isRenewing: Bool) -> PageLink
    /// Signs out all browsers, invalidates unused links, and ends the calendar feed.
    ///
    /// - Throws: An error if that can't be stored.
    func forgetBrowsers() throws
    /// Stops serving the page, because the agent ends.
    func close()
}

/// The parts of the agent that the page uses. All are to be called on the agent's loop.
package struct PageContext {
    /// The agent's device, open for writing.
    package let device: Device
    /// The agent's loop, on which the page lives.
    package let loop: EventLoop
    /// Writes to the agent's log.
    package let log: (AgentLogEvent) -> Void
    /// Lets the agent store a suspension that has just ended, before something is pressed.
    package let recordSuspension: () -> Void
    /// Tells the agent that a browser has opened the page.
    package let pageOpened: () -> Void
    /// Gives back to the system the memory that was freed after a large document was sent to a browser.
    package let returnMemory: () -> Void
    /// Tells the agent that something was pressed on the page.
    package let announceChanges: () -> Void
    /// Returns whether the agent itself makes the bell's sound at a phase's end, so that pages don't.
    package let makesSound: () -> Bool

    /// The parts of one agent.
    package init(
        device: Device, loop: EventLoop, log: @escaping (AgentLogEvent) -> Void,
        recordSuspension: @escaping () -> Void, pageOpened: @escaping () -> Void,
        returnMemory: @escaping () -> Void, announceChanges: @escaping () -> Void,
        makesSound: @escaping () -> Bool
    ) {
        self.device = device
        self.loop = loop
        self.log = log
        self.recordSuspension = recordSuspension
        self.pageOpened = pageOpened
        self.returnMemory = returnMemory
        self.announceChanges = announceChanges
        self.makesSound = makesSound
    }
}

/// The agent's answer to a request for a link to the page, or for the calendar feed's address.
package enum PageLink: Hashable {
    case link(String)
    /// There is a calendar feed already, with an address that the agent doesn't know.
    case hasCalendar
    /// The reason why there is no link, as sentences.
    case problem(String)

    /// The answer as one line of JSON.
    package var line: String {
        let member =
            switch self {
            case .link(let link): JSON.Member("link", .string(link))
            case .hasCalendar: JSON.Member("hasCalendar", .bool(true))
            case .problem(let sentence): JSON.Member("problem", .string(sentence))
            }
        return JSON.object([member]).description + "\n"
    }

    /// Decodes a line as `line` encodes it. Nil if the line is malformed.
    init?(line: [UInt8]) {
        guard let json = try? JSON(parsing: line) else { return nil }
        if let link = json["link"]?.text {
            self = .link(link)
        } else if json["hasCalendar"] != nil {
            self = .hasCalendar
        } else if let sentence = json["problem"]?.text {
            self = .problem(sentence)
        } else {
            return nil
        }
    }
}
