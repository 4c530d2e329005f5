import FocusCore
import FocusStore
import FocusSync

/// Checks a laptop's end of a connection against the protocol, and against the laptop's own log.
struct LaptopConversation {
    private var (sent, received) = (MessageDecoder(), MessageDecoder())
    private var conformance = ClientConformance()
    private var readmissions = ReadmissionConformance()
    private var count = MessageCount()

    /// Checks bytes that the laptop sends.
    ///
    /// - Parameter store: The laptop's log.
    /// - Returns: The breach of a rule, or nil if there is none.
    mutating func checkSent(_ bytes: [UInt8], at now: Int64, from store: DeviceStore?) -> String? {
        do {
            for message in try sent.read(bytes) {
                let breach = try conformance.checkSent(message, at: now) { replica in
                    try store?.versionVector()[replica].seq ?? 0
                }
                if let breach { return breach }
                if let store, let wrong = try readmissions.checkSent(message, from: store) { return wrong }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Records bytes that the laptop has received.
    ///
    /// - Returns: The messages that are complete with these bytes.
    mutating func recordReceived(_ bytes: [UInt8], at now: Int64, _ reach: inout Reach) -> [Message] {
        let messages = (try? received.read(bytes)) ?? []
        for message in messages {
            count.add(message, &reach)
            conformance.recordReceived(message, at: now)
        }
        return messages
    }
}

/// Checks the server's end of a connection against the protocol.
struct ServerConversation {
    private var (sent, received) = (MessageDecoder(), MessageDecoder())
    private var conformance = ServerConformance()
    private var count = MessageCount()

    /// Checks bytes that the server sends.
    ///
    /// - Returns: The breach of the protocol, or nil if there is none.
    mutating func checkSent(_ bytes: [UInt8]) -> String? {
        do {
            for message in try sent.read(bytes) {
                if let breach = conformance.checkSent(message) { return breach }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Whether the server last told the client that the device is connected; nil if it told nothing about the
    /// device.
    func showsConnected(_ device: Digest) -> Bool? { conformance.showsConnected(device) }

    /// Records bytes that the server has received.
    mutating func recordReceived(_ bytes: [UInt8], _ reach: inout Reach) {
        for message in received.readUntilInvalid(bytes) {
            count.add(message, &reach)
            conformance.recordReceived(message)
        }
    }
}
