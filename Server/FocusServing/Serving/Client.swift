import FocusCore
import FocusSync

/// One connection and its session. It belongs to its switchboard.
final class Client {
    let connection: any ClientConnection
    /// The key that the other side proved to hold.
    let device: Digest
    /// The hash of the key that the server showed.
    let shownKey: Digest
    /// When the connection could be used.
    let opened: SteadyInstant
    var session: ServerSession
    /// What it has entered; nil before its welcome, and once it is about to end.
    private(set) var entered: Entered?
    /// When the uploads came that aren't answered yet, the oldest first.
    var uploads = Fifo<SteadyInstant>()
    /// As whose it counts, and what is held in memory for it.
    var share = Buffers.Share()
    /// Whether the device was let in on this connection.
    var isNew = false

    /// A group that it has entered.
    struct Entered {
        let group: GroupID
        /// How the server's keys stood when the welcome told of them.
        let told: ServerPin
        /// Whether it took the group for its own.
        var isTaken = false
    }

    init(
        _ connection: any ClientConnection, device: Digest, shownKey: Digest, opened: SteadyInstant,
        session: consuming ServerSession
    ) {
        self.connection = connection
        self.device = device
        self.shownKey = shownKey
        self.opened = opened
        self.session = session
    }

    /// The group that it has entered.
    var group: GroupID? { entered?.group }

    /// It enters a group, whose welcome tells of the server's keys.
    func enter(_ group: GroupID, told: ServerPin) { entered = Entered(group: group, told: told) }

    /// It takes the group that it has entered for its own.
    func takeGroup() { entered?.isTaken = true }

    /// It is in its group no longer.
    ///
    /// - Returns: what it had entered.
    func leaveGroup() -> Entered? {
        defer { entered = nil }
        return entered
    }
}
