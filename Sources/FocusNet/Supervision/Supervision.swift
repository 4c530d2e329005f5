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
