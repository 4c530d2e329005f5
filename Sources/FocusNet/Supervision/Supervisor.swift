import CLibUV
import SystemKit

/// Whoever watches over this process, as systemd does: is told how it does, in the protocol of sd_notify(3).
///
/// These are the lines that are needed of libsystemd, whose protocol is promised to stay. The library itself would bring
/// five others into a process that strangers talk to, and it waits for a supervisor that is slow to read.
package final class Supervisor: Sendable {
    /// Something that it can be told.
    package enum Notice: Hashable, Sendable {
        /// What was started can be used.
        case ready
        /// The process is about to end.
        case stopping
        /// The process isn't stuck.
        case alive
        /// How it does: one line, for people.
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
    /// Made once: a process that has run out of descriptors has to say that it is alive, too.
    private let socket: Int32

    /// - Parameter address: `Supervision.notifyAddress`.
    /// - Throws: `.badAddress` where nobody can listen there, `.noDescriptor` or `.system`.
    package init(at address: String) throws(NetError) {
        self.address = try NotifyAddress(address)
        socket = makeSocket(AF_UNIX, datagramSocket, 0)
        guard socket >= 0 else { throw NetError(errno: errno, "telling \(address) how this process does") }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(socket) }

    /// Tells it, without waiting.
    ///
    /// - Returns: whether it was told. It can't be where it has gone, or has too much to read just now: what matters
    ///   is said again later.
    @discardableResult
    package func tell(_ notices: [Notice]) -> Bool {
        let bytes = Array(notices.map(\.line).joined(separator: "\n").utf8)
        let sent = address.withPointer { address, length in
            sendto(socket, bytes, bytes.count, Int32(MSG_DONTWAIT), address, length)
        }
        return sent == bytes.count
    }
}

/// The C library's `socket`, which a property of the same name hides.
private func makeSocket(_ family: Int32, _ kind: Int32, _ what: Int32) -> Int32 { socket(family, kind, what) }

/// The address of a local socket that has a path, or, on Linux, a name of its own behind `@`.
private struct NotifyAddress: Sendable {
    private var address = sockaddr_un()
    private let length: socklen_t

    init(_ text: String) throws(NetError) {
        var bytes = SystemText.bytes(text)
        // One byte stays zero: the end of a path.
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

/// What whoever started this process says about watching over it, in the variables that systemd gives a service
/// (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)). Container runtimes and other service managers set the same.
package struct Supervision: Hashable, Sendable {
    /// The local socket where it wants to be told how the process does: a path, or a name behind `@`. Nil where it
    /// doesn't.
    package let notifyAddress: String?
    /// After how long without a word it takes the process for stuck; nil where it doesn't watch.
    package let watchdog: Duration?
    /// The listening sockets that it hands over, by their descriptors.
    package let sockets: [Int32]

    /// The first descriptor that is handed over.
    private static let firstDescriptor: Int32 = 3
    /// More are a mistake.
    private static let mostSockets: Int32 = 64

    /// What the variables say to the process with this number; those meant for another process say nothing.
    ///
    /// - Parameter environment: the value of a variable, nil where it isn't set.
    /// - Throws: `.badAddress` where one of them can't be what it should be.
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
