import FocusCore
import FocusStore
import FocusSync

/// A laptop's end of a connection, held against the protocol, and against what the laptop knows.
struct LaptopConversation {
    private var (sent, received) = (WireTap(), WireTap())
    private var conformance = ClientConformance()
    private var readmissions = ReadmissionsKnown()
    private var count = MessageCount()

    /// What these bytes are against, which the laptop sends; nil where they are right.
    ///
    /// - Parameter store: the laptop's log.
    mutating func sends(_ bytes: [UInt8], at now: Int64, from store: DeviceStore?) -> String? {
        do {
            for message in try sent.read(bytes) {
                let breach = try conformance.sends(message, at: now) { replica in
                    try store?.versionVector()[replica].seq ?? 0
                }
                if let breach { return breach }
                if let store, let wrong = try readmissions.sends(message, from: store) { return wrong }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Notes what has come to the laptop, and gives it.
    mutating func receives(_ bytes: [UInt8], at now: Int64, _ reach: inout Reach) -> [Message] {
        let messages = (try? received.read(bytes)) ?? []
        for message in messages {
            count.note(message, &reach)
            conformance.receives(message, at: now)
        }
        return messages
    }
}

/// The server's end of a connection, held against the protocol.
struct ServerConversation {
    private var (sent, received) = (WireTap(), WireTap())
    private var conformance = ServerConformance()
    private var count = MessageCount()

    /// What of the protocol these bytes are against, which the server sends; nil where they are right.
    mutating func sends(_ bytes: [UInt8], at now: Int64) -> String? {
        do {
            for message in try sent.read(bytes) {
                if let breach = conformance.sends(message, at: now) { return breach }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Whether the client was last told that a device is connected; nil where it was told nothing of it.
    func showsConnected(_ device: Digest) -> Bool? { conformance.showsConnected(device) }

    /// Notes what has come to the server.
    mutating func receives(_ bytes: [UInt8], _ reach: inout Reach) {
        for message in received.readable(bytes) {
            count.note(message, &reach)
            conformance.receives(message)
        }
    }
}
