import FocusCore
import FocusServerCore
import FocusSync

// Connections and their bytes.
extension ServerMachine {
    /// Connects a laptop.
    ///
    /// - Returns: Whether the server takes the connection.
    func connected(_ link: Link) -> Bool {
        links[link.id] = link
        guard accept(ServerEnd(link), link.laptop.key) else {
            links[link.id] = nil
            return false
        }
        return true
    }

    func received(_ bytes: [UInt8], on link: Link) {
        received(bytes, on: link.id)
    }

    /// Reports that the link can take more bytes. The laptop's end calls this even while the server stands
    /// still. The link holds the laptop's bytes back until the server runs again, so `received` needn't wait.
    func writable(_ link: Link) {
        whenRunning { [self] in running?.switchboard.writable(link.id) }
    }

    func disconnected(_ link: Link, _ problem: String?) {
        guard links.removeValue(forKey: link.id) != nil else { return }
        disconnected(ServerEnd(link), problem)
    }

    /// Connects an attacker.
    ///
    /// - Returns: Whether the server takes the connection.
    func connected(_ line: HostileLine) -> Bool {
        isUp && !isFrozen && accept(line, line.key)
    }

    /// Hands a new connection to the switchboard.
    ///
    /// - Returns: Whether the server takes the connection.
    private func accept(_ line: any ClientConnection, _ key: Digest) -> Bool {
        guard let running else { return false }
        let connection = running.watch.accept(line, key)
        // A real server opens a connection once the device has proved its key. Here it has done so already.
        guard running.switchboard.arrives(connection) else {
            running.watch.recordClosed(line.id)
            return false
        }
        running.switchboard.opened(connection, key)
        return true
    }

    private func received(_ bytes: [UInt8], on connection: ConnectionID) {
        running?.watch.recordReceived(bytes, on: connection)
        running?.switchboard.received(bytes, on: connection)
        world.restartIfStopped(self)
    }

    private func disconnected(_ line: any ClientConnection, _ problem: String?) {
        running?.watch.recordClosed(line.id)
        running?.switchboard.closed(line, problem)
    }

    /// Takes an attacker's bytes, at once or as soon as the server runs again.
    func received(_ bytes: [UInt8], on line: HostileLine) {
        whenRunning { [self] in received(bytes, on: line.id) }
    }

    func disconnected(_ line: HostileLine) { whenRunning { [self] in disconnected(line, nil) } }
}
