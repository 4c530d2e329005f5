import CNCurses
import SystemKit

/// Restores the terminal if the process crashes while it controls the screen. Otherwise the shell would get a
/// terminal that doesn't show what is typed.
enum TerminalRestorer {
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS]

    /// Remembers the terminal's present modes, before anything is changed.
    static func saveModes(_ descriptor: Int32) {
        rescueDescriptor = descriptor
        tcgetattr(descriptor, &rescueModes)
    }

    /// Installs handlers that restore the terminal on a fatal signal. ncurses must know the terminal by now.
    static func arm(_ curses: lockstep_curses) {
        var bytes: [UInt8] = []
        for name in ["BD", "rmkx", "sgr0", "op", "oc", "cnorm", "rmcup"] {
            bytes += Terminfo.bytes(name, curses)
        }
        rescueCount = min(bytes.count, rescueRoom)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: rescueRoom)
        buffer.initialize(repeating: 0, count: rescueRoom)
        for (index, byte) in bytes.prefix(rescueRoom).enumerated() { buffer[index] = byte }
        rescueBytes = buffer
        let old = UnsafeMutablePointer<sigaction>.allocate(capacity: rescueSignalLimit)
        old.initialize(repeating: sigaction(), count: rescueSignalLimit)
        rescueActions = old
        var action = sigaction()
        action.__sigaction_handler.sa_handler = restoreTerminal
        sigemptyset(&action.sa_mask)
        for signal in signals { sigaction(signal, &action, old + Int(signal)) }
    }

    /// Removes the handlers, after the terminal was restored.
    static func disarm() {
        guard let old = rescueActions else { return }
        for signal in signals { sigaction(signal, old + Int(signal), nil) }
        rescueActions = nil
        old.deallocate()
        rescueBytes?.deallocate()
        rescueBytes = nil
    }
}

/// The maximum number of bytes that the handler writes.
private let rescueRoom = 256
/// A number above all signals' numbers.
private let rescueSignalLimit = 65

// The values that the handler reads. They have no initializer to run, because a handler may only read plain
// values. The screen's thread writes them before it installs the handler and after it removes it.
nonisolated(unsafe) private var rescueDescriptor: Int32 = -1  // See the comment above.
nonisolated(unsafe) private var rescueModes = termios()  // See the comment above.
nonisolated(unsafe) private var rescueBytes: UnsafeMutablePointer<UInt8>?  // See the comment above.
nonisolated(unsafe) private var rescueCount = 0  // See the comment above.
nonisolated(unsafe) private var rescueActions: UnsafeMutablePointer<sigaction>?  // See the comment above.

/// Restores the terminal, then raises the signal with its former action. Calls only functions that POSIX
/// allows in a handler.
private let restoreTerminal: @convention(c) (Int32) -> Void = { signal in
    if let bytes = rescueBytes { _ = write(rescueDescriptor, bytes, rescueCount) }
    tcsetattr(rescueDescriptor, TCSANOW, &rescueModes)
    if let old = rescueActions { sigaction(signal, old + Int(signal), nil) }
    raise(signal)
}
