import FocusCore
import FocusServing
import FocusSync
import FocusWriter

/// The server's end of a connection, as the switchboard gets it. It reports each call to the `ServerWatch`.
final class WatchedConnection: ClientConnection {
    private let line: any ClientConnection
    private unowned let watch: ServerWatch

    init(_ line: any ClientConnection, _ watch: ServerWatch) {
        self.line = line
        self.watch = watch
    }

    var id: ConnectionID { line.id }
    var unsentBytes: Int { line.unsentBytes }
    var heldBytes: Int { line.heldBytes }
    var peerDescription: String { line.peerDescription }
    var peerBlock: AddressBlock { line.peerBlock }
    var shownKey: Digest? { line.shownKey }

    func send(_ bytes: [UInt8]) {
        watch.sends(bytes, on: id)
        line.send(bytes)
    }

    func pauseReading() {
        watch.pauses(id, true)
        line.pauseReading()
    }

    func resumeReading() {
        watch.pauses(id, false)
        line.resumeReading()
    }

    func close() {
        watch.ends(id)
        line.close()
    }

    func close(within time: Duration) {
        watch.ends(id)
        line.close(within: time)
    }

    func abort() {
        watch.ends(id, atOnce: true)
        line.abort()
    }
}
