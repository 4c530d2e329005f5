import Foundation
import IntegrationSupport
import TestTraits
import Testing

/// The page in a real browser, with real agents.
///
/// The tests run one after the other, so that none starves another. Each subject is an extension of its own.
@Suite("The page", .serialized, .onThreadOfItsOwn)
struct PageTests {
    /// The page's five screens, in the order of their keys.
    static let screens = ["timer", "history", "statistics", "settings", "devices"]

    /// Runs a test on a laptop in no group, with an agent and with the page in a browser.
    static func alone(_ body: (Laptop, Browser) throws -> Void) throws {
        try World.with { world in
            let laptop = world.laptop("desk")
            try laptop.startAgent(until: .answering)
            let browser = try laptop.browser()
            try body(laptop, browser)
            try browser.end()
        }
    }
}

extension Browser {
    /// The end of the phase as the page knows it, in milliseconds since the Unix epoch; nil if it has none.
    func endsAt() throws -> Int64? {
        Int64(try text("return document.getElementById('clock').dataset.endsAt"))
    }

    /// The difference between the clock on the page and the right value, in seconds.
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

    /// The screen that is shown.
    var screen: String {
        get throws { try text("return document.querySelector('.screens [aria-current]').hash.slice(1)") }
    }

    /// The id of the focused element.
    var focus: String { get throws { try text("return document.activeElement.id") } }
}
