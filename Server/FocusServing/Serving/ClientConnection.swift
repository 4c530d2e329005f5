package import FocusCore
package import FocusNet
package import FocusWriter

/// The stream of bytes to and from a laptop, as far as the switchboard needs one. It tells the switchboard what
/// happens, never from within a call to it.
package protocol ClientConnection: AnyObject {
    var id: ConnectionID { get }
    /// How many bytes of what was sent haven't gone out yet.
    var unsentBytes: Int { get }
    /// How many bytes came and haven't been handed over yet.
    var heldBytes: Int { get }
    /// Who is at the other end, for people.
    var peerDescription: String { get }
    /// Where that is, as far as one user can be told from another.
    var peerBlock: AddressBlock { get }
    /// The hash of the key that this side showed; nil before the connection can be used.
    var shownKey: Digest? { get }
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// Hands over nothing more for now.
    func pauseReading()
    func resumeReading()
    /// Ends the connection in good order, after what was sent.
    func close()
    /// The same, where the other side has only so long to take what was sent; of a connection that is ending already
    /// too.
    func close(within time: Duration)
    /// Ends the connection at once.
    func abort()
}

extension Connection: ClientConnection {
    /// The block of the address that the connection comes from, as TCP shows it.
    package var peerBlock: AddressBlock { AddressBlock(address: peerAddress) }

    /// The hash of the key that this side showed in TLS; nil before that has begun.
    package var shownKey: Digest? { ownKey.flatMap { Digest(bytes: $0.bytes) } }
}

/// Where the switchboard leaves what has to be written or read. The answers come to it later, in order
/// (`Switchboard.take`).
package protocol StorageQueue {
    /// Leaves a request for the writer.
    func write(_ request: WriterRequest)
    /// Leaves a request for the reader.
    func read(_ request: ReaderRequest)
}
