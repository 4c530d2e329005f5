import FocusLink
import FocusPage
import FocusWords
import Testing

@Suite("What the page says of invites")
struct InviteTextTests {
    @Test("it is good for as long as it says")
    func lifetime() throws {
        let page = try #require(PageAssets.all.first { $0.path == "/" })
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.contains("An invite lets one more laptop join, within \(MadeInvite.lifetimeText)."))
        #expect(MadeInvite.lifetimeText == "15 minutes")
    }
}
