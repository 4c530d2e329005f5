import CLibUV
import SystemKit

/// The supervisor of this process, such as systemd. It receives the process's status by the protocol of
/// sd_notify(3).
///
/// This implements the small part of libsystemd that is needed; its authors promise that the protocol is
/// stable. The library itself would load five others into a process that untrusted peers talk to. It also
/// blocks if the supervisor reads slowly.
package final class Supervisor: Sendable {
    /// A message to the supervisor.
    package enum Notice: Hashable, Sendable {
        /// The process is ready for use.
        case ready
        /// The process is about to end.
        case stopping
        /// The process isn't stuck (the watchdog's sign of life).
        case alive
        /// The process's status: one line, for people.
        case status(String)

        fileprivate var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            case .status(let text): "STATUS=\(text.split(whereSeparator: \.isNewline).joined(separator: " "))"
            }
        }
    }

    private let address: NotifyAddress
    /// The socket for notices. It is made once, because a process without free descriptors must still be able
    /// to report that it is alive.
    private let socket: Int32

    /// - Parameter address: The value of `Supervision.notifyAddress`.
    /// - Throws: `.badAddress` if it can't be the address of a local socket, `.noDescriptor` or `.system` if
    ///   no socket can be made.
    package init(at address: String) throws(NetError) {
        self.address = try NotifyAddress(address)
        socket = makeSocket(AF_UNIX, datagramSocket, 0)
        guard socket >= 0 else { throw NetError(errno: errno, "telling \(address) how this process does") }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(socket) }

    /// Sends notices to the supervisor, without waiting.
    ///
    /// - Returns: Whether they were sent. They aren't if the supervisor has gone or has too much to read at
    ///   the moment; the caller repeats important notices later.
    @discardableResult
    package func send(_ notices: [Notice]) -> Bool {
        let bytes = Array(notices.map(\.line).joined(separator: "\n").utf8)
        let sent = address.withPointer { address, length in
            sendto(socket, bytes, bytes.count, Int32(MSG_DONTWAIT), address, length)
        }
        return sent == bytes.count
    }
}

/// The C library's `socket`, which a property of the same name hides.
private func makeSocket(_ family: Int32, _ kind: Int32, _ what: Int32) -> Int32 { socket(family, kind, what) }

/// The address of a local socket that has a path or, on Linux, an abstract name, written with a leading `@`.
private struct NotifyAddress: Sendable {
    private var address = sockaddr_un()
    private let length: socklen_t

    init(_ text: String) throws(NetError) {
        var bytes = SystemText.bytes(text)
        // The last byte stays zero: it ends a path.
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count > 1, bytes.count <= room, !bytes.contains(0) else {
            throw NetError(.badAddress, "not the address of a local socket: '\(text)'")
        }
        let isName = bytes[0] == UInt8(ascii: "@")
        if isName { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        length = socklen_t(start + bytes.count + (isName ? 0 : 1))
    }

    /// Lends the address to a system call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}

/// The supervisor's requests to this process, from the variables that systemd gives a service (sd_notify(3),
/// sd_watchdog_enabled(3), sd_listen_fds(3)). Container runtimes and other service managers set the same
/// variables.
package struct Supervision: Hashable, Sendable {
    /// The local socket to which the supervisor wants notices sent: a path, or a name with a leading `@`. Nil
    /// if it wants none.
    package let notifyAddress: String?
    /// The time without `Notice.alive` after which the supervisor considers the process stuck. Nil if it
    /// doesn't watch.
    package let watchdog: Duration?
    /// The descriptors of the listening sockets that the supervisor passes on.
    package let sockets: [Int32]

    /// The first descriptor that is passed on.
    private static let firstDescriptor: Int32 = 3
    /// The maximum number of sockets; more are a mistake.
    private static let mostSockets: Int32 = 64

    /// Reads the variables for the process with this number. Variables meant for another process are ignored.
    ///
    /// - Parameter environment: Returns the value of a variable, or nil if it isn't set.
    /// - Throws: `.badAddress` if a variable has an invalid value.
    package init(environment: (String) -> String?, process: Int32) throws(NetError) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        func wrong(_ name: String, _ value: String, _ what: String) -> NetError {
            NetError(.badAddress, "\(name) in the environment is '\(value)', which is not \(what)")
        }

        notifyAddress = value("NOTIFY_SOCKET")
        if let address = notifyAddress, address.first != "/" && address.first != "@" || address.count < 2 {
            throw wrong("NOTIFY_SOCKET", address, "a local socket")
        }

        if let text = value("WATCHDOG_USEC"), value("WATCHDOG_PID").map({ $0 == "\(process)" }) ?? true {
            guard let microseconds = Int64(text), microseconds > 0 else {
                throw wrong("WATCHDOG_USEC", text, "a number of microseconds")
            }
            watchdog = .microseconds(microseconds)
        } else {
            watchdog = nil
        }

        if let text = value("LISTEN_FDS"), value("LISTEN_PID") == "\(process)" {
            guard let count = Int32(text), (0...Supervision.mostSockets).contains(count) else {
                throw wrong("LISTEN_FDS", text, "a number of sockets, \(Supervision.mostSockets) at most")
            }
            sockets = Array(Supervision.firstDescriptor..<Supervision.firstDescriptor + count)
        } else {
            sockets = []
        }
    }
}
