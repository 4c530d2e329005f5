import Foundation
import IntegrationSupport
import TestTraits
import Testing

/// The page in a real browser, with real agents behind it. One test after the other, so that none starves another;
/// each subject is an extension of its own.
@Suite("The page", .serialized, .onThreadOfItsOwn)
struct PageTests {
    /// The page's five screens, in the order of their keys.
    static let screens = ["timer", "history", "statistics", "settings", "devices"]

    /// Runs a test at one laptop in no group, with an agent and the page in a browser.
    static func alone(_ body: (Laptop, Browser) throws -> Void) throws {
        try World.with { world in
            let laptop = world.laptop("desk")
            try laptop.beginAgent()
            try eventually("the agent runs") { try laptop.agentStatus() != nil }
            let browser = try laptop.browser()
            try body(laptop, browser)
            try browser.end()
        }
    }
}

extension Browser {
    /// When the phase ends by what the page was told, in milliseconds since the Unix epoch; nil where it doesn't.
    func endsAt() throws -> Int64? {
        Int64(try text("return document.getElementById('clock').dataset.endsAt"))
    }

    /// How many seconds the clock is from what it should show, by the same machine's clock.
    func clockError() throws -> Int64 {
        try #require(
            Int64(
                text(
                    """
                    const clock = document.getElementById("clock");
                    const [minutes, seconds] = clock.textContent.split(":").map(Number);
                    const left = Math.ceil((clock.dataset.endsAt - Date.now()) / 1000);
                    return String(Math.abs(minutes * 60 + seconds - left));
                    """)))
    }

    var title: String { get throws { try text("return document.title") } }

    var icon: String { get throws { try text("return document.getElementById('icon').href") } }

    /// Which of the five screens is shown.
    var screen: String {
        get throws { try text("return document.querySelector('.screens [aria-current]').hash.slice(1)") }
    }

    /// The id of what has the focus.
    var focus: String { get throws { try text("return document.activeElement.id") } }
}
