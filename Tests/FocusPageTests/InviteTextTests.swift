import FocusFront
import FocusLink
import FocusPage
import FocusSync
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

    @Test("an invite's QR code is that of its link, if there is one, with the invite in capitals")
    func codes() {
        let page = WebAddress("https://focus.example")
        let (linked, plain) = (
            PublishedInvite(text: "lockstep1-a", page: page, notices: []),
            PublishedInvite(text: "lockstep1-a", notices: [])
        )
        #expect(linked.codeText == "https://focus.example/#LOCKSTEP1-A")
        #expect(plain.codeText == "LOCKSTEP1-A" && plain.linkSentence == nil)
        #expect(linked.linkSentence == "On a phone or in a browser: https://focus.example/#lockstep1-a")
    }
}
