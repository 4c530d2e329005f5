/// A stream of bytes between a `SyncDriver` and the server. It reports its events to the driver
/// (`SyncDriver.opened`, `received`, `drained`, `closed`), but never during a call that it receives from the
/// driver.
package protocol SyncTransport: AnyObject {
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// The number of bytes that haven't gone out yet. After it was over `Limits.unsent` and most of the bytes
    /// have gone out, the transport calls `SyncDriver.drained`.
    var unsentBytes: Int { get }
    /// Ends the connection in good order, after the bytes already sent. `SyncDriver.closed` must follow,
    /// because it releases what the driver holds.
    func close()
    /// Ends the connection at once. `SyncDriver.closed` must follow.
    func abort()
    /// The endpoint of the other side, in words.
    var peerDescription: String { get }
}

/// A route to the server: begins to connect for the driver.
package typealias Route = (SyncDriver) -> any SyncTransport

/// The way in which a transport ended.
package enum TransportEnd: Hashable, Sendable {
    /// The connection was closed in good order.
    case closed
    /// The server at this address shows another key than the pinned one.
    case otherServer(String)
    /// The connection failed.
    case broken(ConnectionTrouble)
}
