package import FocusCore
package import FocusLink
package import FocusSync

/// One connection to a `StagedServer`, of which a test plays the other end.
package final class StagedLink: SyncTransport {
    private weak var driver: SyncDriver?
    private let key: Digest
    private let time: VirtualTime
    /// When it was begun.
    package let begun: SteadyInstant
    /// What came from the laptop.
    package private(set) var said: [Message] = []
    /// Whether it is over at the laptop's end.
    package private(set) var isOver = false
    /// Whether the laptop has ended it.
    package private(set) var isGivenUp = false
    /// Whether the server doesn't take it that it is given up.
    package var isDeaf = false
    private var decoder = FrameDecoder()
    /// How many bytes wait to be taken; none, unless the test says so.
    package var unsentBytes = 0
    package var peerDescription: String { "the server" }

    init(_ driver: SyncDriver, _ key: Digest, _ time: VirtualTime) {
        self.driver = driver
        self.key = key
        self.time = time
        begun = time.now()
    }

    /// Reads what the laptop says.
    package func send(_ bytes: [UInt8]) {
        decoder.append(bytes[...])
        while let frame = try? decoder.next(), let message = try? Message(frame) { said.append(message) }
    }

    /// The laptop ends it in good order.
    package func close() { giveUp(.closed) }
    /// The laptop drops it.
    package func abort() { giveUp(.broken(.network("given up"))) }

    /// The laptop is told of the end later, as by a real connection.
    private func giveUp(_ end: TransportEnd) {
        guard !isGivenUp else { return }
        isGivenUp = true
        if isDeaf { return }
        _ = time.schedule(after: .zero) { [self] in over(end) }
    }

    /// It is there, and the server has shown its key.
    package func open() { driver?.opened(self, byServer: key) }

    /// The server says this.
    package func say(_ messages: Message...) { come(messages.flatMap { $0.encoded() }) }

    /// These bytes come from the server.
    package func come(_ bytes: [UInt8]) { if !isOver { driver?.received(bytes, on: self) } }

    /// It is over.
    package func over(_ end: TransportEnd) {
        guard !isOver else { return }
        isOver = true
        driver?.closed(self, end)
    }
}
