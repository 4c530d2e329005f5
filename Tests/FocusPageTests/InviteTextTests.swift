import FocusFront
import FocusLink
import FocusPage
import FocusText
import TestSupport
import Testing

@Suite("Invites in the page's text")
struct InviteTextTests {
    @Test("the page's text names the invite's lifetime")
    func lifetime() throws {
        let page = try #require(PageAssets.all.first { $0.path == "/" })
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.contains("An invite \(PublishedInvite.use)."))
        #expect(
            PublishedInvite.sentence(madeAt: 1_763_661_600_000, by: LocalZone { _ in .seconds(3600) })
                == "This invite lets one laptop in, within 15 minutes, until 19:15.")
    }
}
