package import FocusNet
import FocusSync

// The connection, and when the session wants to be woken.
extension SyncDriver {
    package func opened(_ connection: Connection, peer: KeyHash?) {
        hasOpened = true
        carryOut { $0.session.opened(SystemClock.microsecondsSinceBoot()) }
    }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        let copy = bytes.withUnsafeBytes { Array($0) }
        carryOut { $0.session.received(copy[...], at: SystemClock.microsecondsSinceBoot()) }
        if session.isConnected { observer.heard() }
    }

    package func writable(_ connection: Connection) {}

    package func closed(_ connection: Connection, error: NetError?) {
        self.connection = nil
        if let end { return finish(end) }
        switch error?.code {
        case .pinMismatch: finish(.otherServer(connection.peerDescription))
        case nil: finish(.broken("the server closed the connection"))
        case _ where !hasOpened: connectNext(after: error?.context ?? "no connection")
        case _: finish(.broken(error?.context ?? "the connection broke"))
        }
    }

    func scheduleWakeUp() {
        wakeUp?.cancel()
        wakeUp = nil
        guard let deadline = session.nextDeadline else { return }
        let delay = max(0, deadline - SystemClock.microsecondsSinceBoot())
        wakeUp = loop.schedule(after: .microseconds(delay)) { [weak self] in
            self?.carryOut { $0.session.tick(SystemClock.microsecondsSinceBoot()) }
        }
    }
}
