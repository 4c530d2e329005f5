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
    package private(set) var isOver = false
    /// Whether the laptop has closed or aborted the connection.
    package private(set) var isGivenUp = false
    /// Whether the laptop isn't told of the end after it closes or aborts the connection.
    package var isDeaf = false
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

    /// Closes the connection in good order, for the laptop.
    package func close() { giveUp(.closed) }
    /// Drops the connection, for the laptop.
    package func abort() { giveUp(.broken(.network("given up"))) }

    /// Tells the laptop of the end in a later turn, like a real connection.
    private func giveUp(_ end: TransportEnd) {
        guard !isGivenUp else { return }
        isGivenUp = true
        if isDeaf { return }
        _ = time.schedule(after: .zero) { [self] in over(end) }
    }

    /// Opens the connection, with the server's key.
    package func open() { driver?.opened(self, byServer: key) }

    /// Sends `messages` to the laptop.
    package func say(_ messages: Message...) { come(messages.flatMap { $0.encoded() }) }

    /// Passes bytes from the server to the laptop.
    package func come(_ bytes: [UInt8]) { if !isOver { driver?.received(bytes, on: self) } }

    /// Ends the connection and tells the laptop.
    package func over(_ end: TransportEnd) {
        guard !isOver else { return }
        isOver = true
        driver?.closed(self, end)
    }
}
