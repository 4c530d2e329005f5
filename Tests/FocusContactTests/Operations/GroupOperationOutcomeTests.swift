import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import TestSupport
import Testing

@Suite("A group operation on a device's own thread")
struct GroupOperationOutcomeTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let device: Device
    private let time: VirtualTime
    private let server: StagedServer

    init() throws {
        laptop.set { $0.sinceBoot = 0 }
        time = VirtualTime(laptop)
        device = try Device(laptop.machine)
        server = StagedServer(time)
    }

    /// The failure of an operation, once it is reported.
    private final class Reported {
        var failure: GroupOperationError?
    }

    /// Starts an operation, gives it up, and lets the time pass for the server's goodbye.
    private func failure(of operation: GroupOperation) -> GroupOperationError? {
        let reported = Reported()
        let runner = OperationRunner.start(operation, on: device, by: server.routes, time: time) { result in
            if case .failure(let error) = result { reported.failure = error }
        }
        runner.giveUp()
        time.pass(.seconds(2))
        return reported.failure
    }

    @Test("a device in no group is told so at once")
    func noGroup() {
        #expect(failure(of: .sync) == GroupOperationError(.noGroup))
    }

    @Test("a decision that the server hasn't heard of holds on the device")
    func decided() throws {
        try server.admit(device)
        let key = Digest(InlineArray(repeating: 7))
        #expect(failure(of: .revoke([key])) == GroupOperationError(.givenUp, .decidedHere))
        #expect(failure(of: .sync) == GroupOperationError(.givenUp))
    }
}
