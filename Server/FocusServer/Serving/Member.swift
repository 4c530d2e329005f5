import FocusCore
import FocusNet
import FocusSync

/// One connection and its session. It belongs to the server's loop.
final class Member {
    let connection: Connection
    /// The key that the other side proved to hold.
    let device: Digest
    var session: ServerSession
    /// The group that it has entered.
    var group: GroupID?
    /// Whether the device was let in on this connection.
    var isNew = false

    init(_ connection: Connection, device: Digest, session: consuming ServerSession) {
        self.connection = connection
        self.device = device
        self.session = session
    }
}
