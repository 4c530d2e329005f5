/// The stream of bytes to the server that a `SyncDriver` sends on, as far as it needs one. It tells the driver what
/// happens (`SyncDriver.opened`, `received`, `drained`, `closed`), never from within a call to it.
package protocol SyncTransport: AnyObject {
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// How many bytes haven't gone out yet. Once they have been over `Limits.unsent` and are few again, the driver is told.
    var unsentBytes: Int { get }
    /// Ends the connection in good order, after what was sent.
    func close()
    /// Ends the connection at once.
    func abort()
}

/// A way to the server: begins to connect for the driver.
package typealias SyncRoute = (SyncDriver) -> any SyncTransport

/// How a transport came to its end.
package enum TransportEnd: Hashable, Sendable {
    /// In good order.
    case closed
    /// The server there, at this address, shows another key than the pinned one.
    case otherServer(String)
    /// Something went wrong, which people can read about.
    case broken(String)
}
