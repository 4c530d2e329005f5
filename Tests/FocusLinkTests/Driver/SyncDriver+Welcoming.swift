import FocusCore
import FocusSync
import TestSupport

@testable import FocusLink

extension SyncDriver {
    /// Begins to connect, and is let in by a server that has nothing of the group.
    func connect(toServerOf group: GroupID) {
        reach()
        received(SyncDriver.welcome(to: group))
    }

    /// Begins to connect, and reaches a server, which hasn't said anything yet.
    func reach() {
        start()
        guard let transport = route.transports.first else { return }
        opened(transport, byServer: Digest(InlineArray(repeating: 3)))
    }

    /// Bytes come from the server that was reached.
    func received(_ bytes: [UInt8]) {
        if let transport = route.transport { received(bytes, on: transport) }
    }

    /// What a server says first, which has no events of the group.
    ///
    /// - Parameter epochs: those of which it has records.
    static func welcome(to group: GroupID, having epochs: [EpochID] = []) -> [UInt8] {
        welcome(to: group) { $0.epochs = epochs }
    }

    /// As `welcome(to:having:)`, with another change to a welcome that names nothing.
    static func welcome(to group: GroupID, _ change: (inout Welcome) -> Void) -> [UInt8] {
        let greeting = Greeting(
            versions: [.one], chosen: .one, clock: ClockAnswer(asked: 0, served: nil), program: "a test")
        var welcome = Welcome(
            group: group, vector: VersionVector(), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
        change(&welcome)
        return Message.greeting(greeting).encoded() + Message.welcome(welcome).encoded()
    }
}
