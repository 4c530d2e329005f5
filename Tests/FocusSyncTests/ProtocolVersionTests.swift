import FocusSync
import Testing

@Suite("Protocol versions")
struct ProtocolVersionTests {
    private let two = ProtocolVersion(rawValue: 2)

    @Test("the greatest common version is chosen")
    func common() {
        #expect(ProtocolVersion.common([.one, two], [.one, two]) == two)
        #expect(ProtocolVersion.common([.one], [.one, two]) == .one)
        #expect(ProtocolVersion.common([.one], [two]) == nil)
    }

    @Test("the side with the older versions is to be upgraded")
    func upgrade() {
        #expect(VersionMismatch(client: [.one], server: [two]).upgrade == .client)
        #expect(VersionMismatch(client: [two], server: [.one]).upgrade == .server)
    }
}
