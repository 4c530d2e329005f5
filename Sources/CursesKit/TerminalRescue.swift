import CNCurses
import SystemKit

/// Gives the terminal back where the process crashes while it has the screen: else the shell would be left with a
/// terminal that shows no typing.
enum TerminalRescue {
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS]

    /// Keeps how the terminal behaves now, before anything is changed.
    static func remember(_ descriptor: Int32) {
        rescueDescriptor = descriptor
        tcgetattr(descriptor, &rescueModes)
    }

    /// From now on a fatal signal gives the terminal back first. ncurses knows the terminal.
    static func arm(_ curses: lockstep_curses) {
        var bytes: [UInt8] = []
        for name in ["BD", "rmkx", "sgr0", "op", "cnorm", "rmcup"] { bytes += Capability.bytes(name, curses) }
        rescueCount = min(bytes.count, rescueRoom)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: rescueRoom)
        room.initialize(repeating: 0, count: rescueRoom)
        for (index, byte) in bytes.prefix(rescueRoom).enumerated() { room[index] = byte }
        rescueBytes = room
        let old = UnsafeMutablePointer<sigaction>.allocate(capacity: rescueSignalLimit)
        old.initialize(repeating: sigaction(), count: rescueSignalLimit)
        rescueActions = old
        var action = sigaction()
        action.__sigaction_handler.sa_handler = giveTerminalBack
        sigemptyset(&action.sa_mask)
        for signal in signals { sigaction(signal, &action, old + Int(signal)) }
    }

    /// The terminal has been given back.
    static func disarm() {
        guard let old = rescueActions else { return }
        for signal in signals { sigaction(signal, old + Int(signal), nil) }
        rescueActions = nil
        rescueBytes = nil
        old.deallocate()
    }
}

private let rescueRoom = 256
private let rescueSignalLimit = 65

// What the handler needs. Plain values without an initializer to run: a handler may do nothing but look at them.
// Written before the handler is installed and after it is removed, by the screen's one thread.
nonisolated(unsafe) private var rescueDescriptor: Int32 = -1  // As said above.
nonisolated(unsafe) private var rescueModes = termios()  // As said above.
nonisolated(unsafe) private var rescueBytes: UnsafeMutablePointer<UInt8>?  // As said above.
nonisolated(unsafe) private var rescueCount = 0  // As said above.
nonisolated(unsafe) private var rescueActions: UnsafeMutablePointer<sigaction>?  // As said above.

/// Gives the terminal back, and lets the signal do what it did before. Calls nothing but what POSIX allows in a
/// handler.
private let giveTerminalBack: @convention(c) (Int32) -> Void = { signal in
    if let bytes = rescueBytes { _ = write(rescueDescriptor, bytes, rescueCount) }
    tcsetattr(rescueDescriptor, TCSANOW, &rescueModes)
    if let old = rescueActions { sigaction(signal, old + Int(signal), nil) }
    raise(signal)
}
