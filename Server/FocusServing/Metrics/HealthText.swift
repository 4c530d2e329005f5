import FocusCore
package import FocusServerCore

// The server's state as text, for the health page and for a supervisor.

extension ServerTrouble {
    /// A sentence that says what is wrong and what the operator can do. `log` supplies the names of commands.
    func sentence(_ log: Log) -> String {
        switch self {
        case .stopping: "The server is stopping."
        case .clock(let verdict):
            "The clock \(verdict.trouble ?? "is sure"): "
                + "\(ClockVerdict.remedy(log.command(for: "clock accept")))."
        case .storeGone: "The store is gone: restore a backup, or restart the server."
        case .databaseAway: "The database with the store can't be reached: the log says why."
        case .diskFull: "The disk with the store is full: make room on it."
        case .unwritable: "The store can't be written: the log says why."
        case .databaseSilent(let silence):
            "The database with the store hasn't answered for \(silence.inSeconds) s."
        case .diskSilent(let silence): "The store's disk hasn't answered for \(silence.inSeconds) s."
        }
    }
}

extension ServerState {
    /// The server's state in one line. `log` supplies the names of commands.
    func sentence(_ log: Log) -> String {
        if isStopping { return "Stopping; \(count(connections, "connection")) left." }
        let troubles = troubles
        guard troubles.isEmpty else {
            return "Not ready. \(troubles.map { $0.sentence(log) }.joined(separator: " "))"
        }
        return "Serving \(count(groups, "group")) with \(count(devices, "device")), "
            + "\(count(connections, "connection")) now."
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

extension ClockVerdict {
    /// The problem with the clock, as the end of a sentence that begins with "The clock"; nil if there is
    /// none.
    package var trouble: String? {
        switch self {
        case .sure: nil
        case .behind(let lag): "is \(lag.inSeconds) s behind the time served before"
        case .jumped(let jump):
            "has jumped \(jump < .zero ? "back" : "ahead") by \(jump.inSeconds.magnitude) s"
        }
    }

    /// Returns the operator's remedy for a clock that isn't sure. `command` is the command that accepts the
    /// clock.
    package static func remedy(_ command: String) -> String {
        "set the clock right, or if it is right now, accept it (\(command))"
    }
}
