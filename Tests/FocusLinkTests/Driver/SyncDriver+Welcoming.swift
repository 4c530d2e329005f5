import FocusCore
import FocusSync
import TestSupport

@testable import FocusLink

extension SyncDriver {
    /// Starts to connect, and receives the welcome of a server that has nothing of the group.
    func connect(to server: SilentServer, of group: GroupID) {
        reach(server)
        received(SyncDriver.welcome(to: group), on: server)
    }

    /// Starts to connect, and opens a connection to the server, which hasn't sent anything yet.
    func reach(_ server: SilentServer) {
        start()
        opened(server, byServer: Digest(InlineArray(repeating: 3)))
    }

    /// Returns the greeting and the welcome of a server that has no events of the group.
    ///
    /// - Parameter epochs: The epochs that the server has records of.
    static func welcome(to group: GroupID, having epochs: [EpochID] = []) -> [UInt8] {
        welcome(to: group) { $0.epochs = epochs }
    }

    /// Returns the greeting and an empty welcome, to which `change` is applied.
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
