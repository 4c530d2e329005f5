import FocusCore
import FocusServing
import FocusSync
import FocusWriter

// Connections and their bytes.
extension ServerMachine {
    /// Connects a laptop.
    ///
    /// - Returns: Whether the server takes the connection.
    func connected(_ link: Link) -> Bool {
        links[link.id] = link
        guard arrives(ServerEnd(link), link.laptop.key) else {
            links[link.id] = nil
            return false
        }
        return true
    }

    func received(_ bytes: [UInt8], on link: Link) {
        received(bytes, on: link.id)
    }

    func writable(_ link: Link) {
        onceAwake { [self] in call(.other) { $0.writable(link.id) } }
    }

    func disconnected(_ link: Link, _ problem: String?) {
        guard links.removeValue(forKey: link.id) != nil else { return }
        disconnected(ServerEnd(link), problem)
    }

    /// Connects an attacker.
    ///
    /// - Returns: Whether the server takes the connection.
    func connected(_ line: HostileLine) -> Bool {
        isUp && arrives(line, line.key, proves: line.proves)
    }

    /// Hands a new connection to the switchboard.
    ///
    /// - Parameter proves: Whether the connection proves that it holds the key.
    /// - Returns: Whether the server takes the connection.
    private func arrives(_ line: any ClientConnection, _ key: Digest, proves: Bool = true) -> Bool {
        guard let running else { return false }
        let (watch, switchboard) = (running.watch, running.switchboard)
        let others = watch.all
        let connection = watch.comes(line, key)
        let comes = watch.during(.arrival(line.id)) {
            guard switchboard.arrives(connection) else {
                watch.gone(line.id)
                return false
            }
            if proves { switchboard.opened(connection, key) }
            return true
        }
        watch.require(
            watch.crowds.grievance(letsCome: comes, beside: others), "there are only so many connections")
        return comes
    }

    private func received(_ bytes: [UInt8], on connection: ConnectionID) {
        running?.watch.receives(bytes, on: connection)
        call(.bytes(connection)) { $0.received(bytes, on: connection) }
        world.look(at: self)
    }

    /// Checks the epochs that a welcome names.
    func check(_ welcome: Welcome) {
        guard !deleted.contains(welcome.group) else { return }
        running?.threads.check(welcome)
    }

    private func disconnected(_ line: any ClientConnection, _ problem: String?) {
        running?.watch.gone(line.id)
        call(.other) { $0.closed(line, problem) }
    }

    /// Runs one call of the network's thread, and checks its results.
    func call(_ call: ServerWatch.Call, _ body: (Switchboard) -> Void) {
        guard let running else { return }
        running.watch.during(call) { body(running.switchboard) }
    }

    func received(_ bytes: [UInt8], on line: HostileLine) {
        received(bytes, on: line.id)
    }

    func disconnected(_ line: HostileLine) { disconnected(line, nil) }
}
