import CLibUV
import Testing

@testable import FocusNet

@Suite struct HostNameTests {
    @Test(
        "a name that no host has is called that",
        arguments: [UV_EAI_NONAME, UV_EAI_NODATA])
    func noSuchName(status: uv_errno_t) {
        let error = NetError(status: status.rawValue, "looking up focus.example.org")
        #expect(error == NetError(.resolve, "looking up focus.example.org: no such host name"))
    }
}
