import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "device".
@Suite("Devices")
struct DeviceTests {
    @Test("the last name in replay order is the replica's device's")
    func lastWins() throws {
        var log = LogScript()
        log.add(.device(name: "laptop", key: nil), 0, by: .a)
        log.add(.device(name: "desk", key: nil), 1, by: .b)
        log.add(.device(name: " lap\ttop 2 ", key: nil), 2, by: .a)
        #expect(try log.state(at: 3).devices == [.a: "laptop 2", .b: "desk"])
    }
}
