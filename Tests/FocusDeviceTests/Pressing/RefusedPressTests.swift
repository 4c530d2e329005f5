import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("A press that isn't carried out")
struct RefusedPressTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let device: Device

    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        device = try Device(laptop.machine)
        _ = try device.perform(.start(label: nil))
        laptop.pass(.seconds(300))
    }

    /// Returns the error of a press. Expects that the press changes nothing.
    private func failure(_ body: () throws(PerformFailure) -> InteractionResult) throws -> PerformFailure {
        let before = try device.store.allStoredEvents()
        let failure = #expect(throws: PerformFailure.self) { _ = try body() }
        #expect(try device.store.allStoredEvents() == before)
        return try #require(failure)
    }

    @Test("because it would have changed nothing back then")
    func noEffect() throws {
        _ = try device.perform(.set(.autoStartBreaks, 0), .stop, .start(label: nil))
        laptop.pass(.seconds(26 * 60))
        #expect(
            try failure { () throws(PerformFailure) in
                try device.perform(.resume, ago: .seconds(600))
            } == .noEffect)
    }

    @Test("because it can't reach back as far as asked")
    func fallsShort() throws {
        let failure = try failure { () throws(PerformFailure) in
            try device.perform(.stop, ago: .seconds(36_000), accepting: .lostWork)
        }
        guard case .tooFarBack(let backdating, let now) = failure else { throw failure }
        #expect(try now == device.now() && backdating.effective == now - .seconds(300))
        guard case .press(.start, on: nil, isAside: false)? = backdating.obstacle else { throw failure }
    }

    @Test("because it would add hours that nobody saw pass")
    func claims() throws {
        let stop = try #require(try device.perform(.stop).events.last)
        laptop.pass(.seconds(7_200))
        let failure = try failure { () throws(PerformFailure) in try device.perform(.undo) }
        guard case .needsConsent(let claim) = failure else { throw failure }
        #expect(claim.target == stop && claim.removed == 0 && claim.presser == nil)
        // The remaining 20 minutes of the first work phase, three more work phases, and the breaks before
        // them.
        #expect(claim.added == 6 && claim.focusChange == .seconds((20 + 3 * 25) * 60))
    }

    @Test("because the name has no visible character", arguments: ["", " \t", "\u{7}\u{2003}"])
    func emptyName(name: String) throws {
        #expect(
            try failure { () throws(PerformFailure) in try device.perform(.nameDevice(name)) } == .emptyName)
    }

    @Test("because no folder can be made for the log's copy")
    func noCopy() throws {
        let failure = #expect(throws: DeviceFailure.self) {
            _ = try device.startOver(keepingCopyNamed: "a/b/c")
        }
        guard case .noCopy? = failure else { throw try #require(failure) }
    }
}
