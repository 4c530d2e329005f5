import FocusFront
import Testing

@Suite("How long ago something was")
struct AgoTextTests {
    @Test(
        "is said in its greatest unit, days from the second one on",
        arguments: [
            (.milliseconds(999), "just now"), (.seconds(1), "1s ago"), (.milliseconds(59_999), "59s ago"),
            (.seconds(60), "1m ago"), (.seconds(3_599), "59m ago"), (.seconds(3_600), "1h ago"),
            (.seconds(172_799), "47h59m ago"), (.seconds(172_800), "2 days ago"),
            (.seconds(259_199), "2 days ago"), (.seconds(259_200), "3 days ago"), (.seconds(-5), "just now"),
        ] as [(Duration, String)])
    func said(length: Duration, text: String) {
        #expect(AgoText.text(length) == text)
    }
}
