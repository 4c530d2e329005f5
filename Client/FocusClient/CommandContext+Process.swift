import FocusDevice
import SystemKit

extension CommandContext {
    /// The world of this process.
    package static var process: CommandContext {
        CommandContext(
            machine: .process, console: .process(.process),
            open: { path throws(SystemError) in try FileDescriptor.bytes(of: path) },
            network: LiveNetwork())
    }
}
