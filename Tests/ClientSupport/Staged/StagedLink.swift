package import FocusCore
package import FocusLink
package import FocusSync

/// One connection to a `StagedServer`. The test plays the server's end.
package final class StagedLink: SyncTransport {
    private weak var driver: SyncDriver?
    private let key: Digest
    private let time: VirtualTime
    /// The time at which it was opened.
    package let startedAt: SteadyInstant
    /// The messages from the laptop.
    package private(set) var sent: [Message] = []
    /// Whether the laptop was told that the connection is over.
    package private(set) var isClosedForLaptop = false
    /// Whether the laptop has closed or aborted the connection.
    package private(set) var isClosedByLaptop = false
    /// Whether `close` and `abort` never report the connection's end to the laptop.
    package var hidesEnd = false
    private var decoder = FrameDecoder()
    /// The number of bytes that wait to be sent; the test sets it.
    package var unsentBytes = 0
    package var peerDescription: String { "the server" }

    init(_ driver: SyncDriver, _ key: Digest, _ time: VirtualTime) {
        self.driver = driver
        self.key = key
        self.time = time
        startedAt = time.now()
    }

    /// Decodes what the laptop sends.
    package func send(_ bytes: [UInt8]) {
        decoder.append(bytes[...])
        while let frame = try? decoder.next(), let message = try? Message(frame) { sent.append(message) }
    }

    /// Closes the connection in good order, as the laptop's driver asks.
    package func close() { close(with: .closed) }
    /// Drops the connection, as the laptop's driver asks.
    package func abort() { close(with: .broken(.network("given up"))) }

    /// Tells the laptop of the end in a later turn, like a real connection.
    private func close(with end: TransportEnd) {
        guard !isClosedByLaptop else { return }
        isClosedByLaptop = true
        if hidesEnd { return }
        _ = time.schedule(after: .zero) { [weak self] in self?.end(end) }
    }

    /// Opens the connection, with the server's key.
    package func open() { driver?.opened(self, byServer: key) }

    /// Sends `messages` to the laptop.
    package func sendToLaptop(_ messages: Message...) {
        sendToLaptop(bytes: messages.flatMap { $0.encoded() })
    }

    /// Sends bytes to the laptop.
    package func sendToLaptop(bytes: [UInt8]) {
        if !isClosedForLaptop { driver?.received(bytes, on: self) }
    }

    /// Ends the connection and tells the laptop.
    package func end(_ end: TransportEnd) {
        guard !isClosedForLaptop else { return }
        isClosedForLaptop = true
        driver?.closed(self, end)
    }
}
