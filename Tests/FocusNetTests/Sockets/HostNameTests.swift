import SystemKit
import TestTraits
import Testing

@testable import FocusNet

@Suite(.ends(within: .seconds(600))) struct HostNameTests {
    @Test("a name that no host has is called that", arguments: [EAI_NONAME, unknownAddress])
    func noSuchName(code: Int32) {
        let error = NetError(lookup: code, "looking up focus.example.org")
        #expect(error == NetError(.resolve, "looking up focus.example.org: no such host name"))
    }

    @Test("what else goes wrong with a name is said in the system's words")
    func otherwise() {
        let error = NetError(lookup: EAI_AGAIN, "looking up focus.example.org")
        #expect(error.code == .resolve)
        #expect(error.context.hasPrefix("looking up focus.example.org: temporary failure"))
    }

    @Test("a numeric address is its own, with the port")
    func numeric() async throws {
        let loop = try EventLoop()
        let found = await withCheckedContinuation { continuation in
            loop.run {
                do {
                    try HostLookup.begin("127.0.0.9", port: 80, on: loop) { result in
                        continuation.resume(returning: (try? result.get())?.map(\.description))
                    }
                } catch {
                    continuation.resume(returning: nil)
                }
            }
        }
        #expect(found == ["127.0.0.9:80"])
        loop.stop()
        loop.wait()
    }
}
