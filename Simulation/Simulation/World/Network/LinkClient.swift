import FocusCore
import FocusLink

/// The program at a laptop's end of a connection: the driver of a session, or a browser with a driver in it.
protocol LinkClient: AnyObject {
    /// Whether the server has welcomed the device on this connection.
    var reachedWelcome: Bool { get }
    /// Whether everything that arrived is replayed.
    var hasSettled: Bool { get }
    /// Called when the connection to the server with this key is open.
    func opened(_ transport: any SyncTransport, byServer key: Digest)
    /// Called with bytes from the server.
    func received(_ bytes: [UInt8], on transport: any SyncTransport)
    /// Called when most of a large amount of unsent data has gone out.
    func drained()
    /// Called when the connection has ended.
    func closed(_ transport: any SyncTransport, _ transportEnd: TransportEnd)
}

extension SyncDriver: LinkClient {}
