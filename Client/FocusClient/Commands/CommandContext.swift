import Glibc

/// What a command has of the world around it, so that it can be run in a test.
package struct CommandContext: Sendable {
    package let environment: Environment
    package let console: Console
    /// The device's own clock: milliseconds since the Unix epoch.
    package let now: @Sendable () -> Int64
    /// The bytes of a file that the person named; `-` is standard input.
    package let contents: @Sendable (_ path: String) throws(SystemError) -> [UInt8]

    package init(
        environment: Environment, console: Console, now: @escaping @Sendable () -> Int64,
        contents: @escaping @Sendable (_ path: String) throws(SystemError) -> [UInt8]
    ) {
        self.environment = environment
        self.console = console
        self.now = now
        self.contents = contents
    }

    /// The world of this process.
    package static var process: CommandContext {
        CommandContext(
            environment: .process, console: .process(.process), now: wallClock,
            contents: { path throws(SystemError) in try FileDescriptor.contents(of: path) })
    }

    private static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Writes data to standard output.
    func print(_ text: String) throws(CommandFailure) {
        do throws(SystemError) {
            try console.output(text)
        } catch {
            throw CommandFailure(error)
        }
    }
}
