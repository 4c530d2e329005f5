import FocusNet
import SystemKit

/// The desktop's message bus (D-Bus). It knows whether a program shows notifications.
struct SessionBus {
    /// The answer of the bus.
    enum Answer: Hashable {
        /// No address is known.
        case noBus
        /// The address isn't a socket's path, so this version can't ask the bus.
        case notAsked
        /// Nothing answers at the address.
        case noAnswer
        /// No program shows notifications, and the bus would start none.
        case noDaemon
        /// A program shows notifications, or the bus can start one.
        case daemon
    }

    /// The address of the bus, as in DBUS_SESSION_BUS_ADDRESS; nil if none is known.
    private let address: String?

    /// Makes the bus of a process with these variables.
    init(_ environment: Environment) {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"] {
            self.address = address
        } else {
            let socket = environment["XDG_RUNTIME_DIR"].map { "\($0)/bus" }
            address = socket.flatMap { access($0, F_OK) == 0 ? "unix:path=\($0)" : nil }
        }
    }

    /// Asks the bus. Takes 2 seconds at most.
    func query() -> Answer {
        guard let address else { return .noBus }
        let path = address.split(separator: ";").lazy.compactMap(SessionBus.path).first
        guard let path else { return .notAsked }
        guard let descriptor = LocalSocket.connected(to: path) else { return .noAnswer }
        defer { close(descriptor) }
        var connection = BusConnection(descriptor)
        guard connection.begin(),
            let owner = connection.call(to: "NameHasOwner", SessionBus.service),
            let names = connection.call(to: "ListActivatableNames", nil)
        else { return .noAnswer }
        let isThere = owner.prefix(4).contains { $0 != 0 }
        return isThere || names.contains(Array(SessionBus.service.utf8)) ? .daemon : .noDaemon
    }

    private static let service = "org.freedesktop.Notifications"

    /// Returns the path in one part of an address; nil if it has none.
    private static func path(_ part: Substring) -> String? {
        guard part.hasPrefix("unix:") else { return nil }
        let values = part.dropFirst("unix:".count).split(separator: ",")
        return values.first { $0.hasPrefix("path=") }.map { String($0.dropFirst("path=".count)) }
    }
}

/// A conversation with the bus itself, which answers calls in order.
private struct BusConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// The number of the last call.
    private var serial: UInt32 = 0
    /// The time at which the whole conversation ends.
    private let deadline = ContinuousClock.now + .seconds(2)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Authenticates this user and says hello; false if the bus refuses.
    mutating func begin() -> Bool {
        let user = Array("\(geteuid())".utf8).map { String($0, radix: 16) }.joined()
        guard send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8)), let line = receiveBytes(until: "\n"),
            line.starts(with: Array("OK ".utf8)), send(Array("BEGIN\r\n".utf8))
        else { return false }
        return call(to: "Hello", nil) != nil
    }

    /// Calls a method of the bus and returns the body of the answer; nil if there is no answer, or an error.
    mutating func call(to member: String, _ argument: String?) -> [UInt8]? {
        serial += 1
        guard send(BusConnection.callMessage(member, argument, serial)) else { return nil }
        while let (kind, body) = message() {
            // 2 is METHOD_RETURN, 3 is ERROR. Signals are skipped.
            if kind == 2 { return body }
            if kind == 3 { return nil }
        }
        return nil
    }

    /// Returns the next message's kind and body; nil if none arrives in time, or if it is malformed.
    private mutating func message() -> (kind: UInt8, body: [UInt8])? {
        guard let head = receiveBytes(16) else { return nil }
        let isLittle = head[0] == UInt8(ascii: "l")
        let number = { (place: Int) in
            (isLittle ? head[place..<place + 4].reversed() : Array(head[place..<place + 4])).reduce(0) {
                $0 << 8 | Int($1)
            }
        }
        let (body, fields) = (number(4), number(12))
        // These limits are above the size of any list of names.
        guard body < 1 << 20, fields < 1 << 16, receiveBytes((fields + 7) & ~7) != nil else { return nil }
        return receiveBytes(body).map { (head[1], $0) }
    }

    /// Returns a METHOD_CALL message to the bus, little-endian (D-Bus specification, "Message Protocol").
    private static func callMessage(_ member: String, _ argument: String?, _ serial: UInt32) -> [UInt8] {
        let body = argument.map { text($0) } ?? []
        var fields: [UInt8] = []
        let parts = [
            (1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (3, "s", member),
            (6, "s", "org.freedesktop.DBus"),
        ]
        for (code, type, value) in parts {
            fields = padded(fields) + [UInt8(code), 1] + Array(type.utf8) + [0] + text(value)
        }
        if argument != nil {
            fields = padded(fields) + [8, 1, UInt8(ascii: "g"), 0, 1, UInt8(ascii: "s"), 0]
        }
        let head: [UInt8] = [UInt8(ascii: "l"), 1, 0, 1]
        return padded(head + word(UInt32(body.count)) + word(serial) + word(UInt32(fields.count)) + fields)
            + body
    }

    private static func text(_ text: String) -> [UInt8] {
        word(UInt32(text.utf8.count)) + Array(text.utf8) + [0]
    }

    private static func word(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Pads the bytes with zeros to a multiple of eight.
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
    }

    // MARK: - Bytes

    private func send(_ bytes: [UInt8]) -> Bool {
        SystemKit.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private mutating func receiveBytes(_ count: Int) -> [UInt8]? {
        while received.count < count { guard receive() else { return nil } }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// Returns the received bytes up to and including `end`; nil if `end` isn't among the first 4 KiB or so,
    /// or doesn't arrive in time.
    private mutating func receiveBytes(until end: Unicode.Scalar) -> [UInt8]? {
        while true {
            if let place = received.firstIndex(of: UInt8(ascii: end)) { return receiveBytes(place + 1) }
            guard received.count < 4096, receive() else { return nil }
        }
    }

    /// Receives more bytes; false if none arrive in time.
    private mutating func receive() -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let left = (deadline - ContinuousClock.now).components
        let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0, poll(&waiting, 1, Int32(clamping: milliseconds)) > 0 else { return false }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        received += chunk[..<count]
        return true
    }
}
