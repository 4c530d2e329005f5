import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "device".
@Suite("Devices")
struct DeviceTests {
    @Test("what is no key's hash names nobody, and is kept as it was written")
    func malformedKey() throws {
        let key = Digest(InlineArray(repeating: 0xAB))
        var log = LogScript()
        log.add(.device(name: "laptop", key: key.hexadecimal), 0, by: .a)
        log.add(.device(name: "desk", key: "ab"), 1, by: .b)
        let state = try ReplayState(encoded: log.replayed().encoded())
        #expect(state.devices[.a]?.key == key)
        #expect(state.devices[.b]?.key == nil)
        #expect(state.devices[.b]?.writtenKey == "ab")
    }

    @Test(
        "of revocations and readmissions the last in replay order decides, no undo takes one back, and a readmission says nothing of a key that nobody has revoked before it"
    )
    func rulings() throws {
        let (one, two) = (Digest(InlineArray(repeating: 1)), Digest(InlineArray(repeating: 2)))
        var log = LogScript()
        let revoke = log.add(.revoke(one), 1, by: .a)
        log.add(.readmit(two), 2, by: .a)
        log.add(.undo(revoke.id), 3, by: .a)
        var rulings = try log.state(at: 3).rulings
        #expect(rulings[one]?.verdict == "revoked")
        #expect(rulings[one]?.replica == .a)
        #expect(rulings[two] == nil)
        log.add(.readmit(one), 4, by: .b)
        log.add(.revoke(two), 5, by: .b)
        rulings = try log.state(at: 5).rulings
        #expect(rulings[one]?.verdict == "readmitted")
        #expect(rulings[one]?.replica == .b)
        #expect(rulings[two]?.verdict == "revoked")
    }
}
