/// The result of a program that has ended.
package struct ProgramResult: Hashable, Sendable {
    /// The exit status; 128 plus the signal's number if a signal ended the program.
    package let status: Int32
    /// The standard output and the error output of the program, mixed as it wrote them.
    package let text: String

    /// Whether the program didn't end in time, so that it was killed.
    package let hasTimedOut: Bool

    /// The time for a program. systemd waits 90 s until a service has ended.
    package static let limit = Duration.seconds(120)

    /// Makes a result from its parts.
    package init(status: Int32, text: String, hasTimedOut: Bool = false) {
        self.status = status
        self.text = text
        self.hasTimedOut = hasTimedOut
    }

    /// Runs a program without input and waits for its end, but not for programs that it leaves behind.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments. A name without a slash is looked up in PATH.
    ///   - limit: The time after which it is killed.
    /// - Throws: `SystemError` if it can't be started: usually there is no such program.
    package static func run(
        _ words: [String], within limit: Duration = ProgramResult.limit
    ) throws(SystemError) -> ProgramResult {
        let name = words.first ?? ""
        let output = try Pipe(for: name)
        defer { withExtendedLifetime(output) {} }
        let process = try ProgramLauncher.start(
            name, words, output: output.writing.number, errors: output.writing.number)
        return try result(of: process, FileDescriptor(output.reading.number, named: name), within: limit)
    }

    /// Waits for the end of a program, and kills it after `limit`.
    private static func result(
        of process: pid_t, _ output: FileDescriptor, within limit: Duration
    ) throws(SystemError) -> ProgramResult {
        var status: Int32 = 0
        var bytes: [UInt8] = []
        let hasEnded = try Polling.wait(atMost: limit) { () throws(SystemError) -> Bool? in
            let ended = waitpid(process, &status, WNOHANG) != 0
            // The pipe has all output of a program that has ended. No pipe of a user holds more than 1 MiB.
            for _ in 0..<16 where output.hasMore { bytes += try output.bytes.next() }
            return ended ? true : nil
        }
        if hasEnded == nil {
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        return ProgramResult(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F),
            text: String(decoding: bytes, as: UTF8.self), hasTimedOut: hasEnded == nil)
    }

    /// A pipe that other programs, started at the same time, don't get.
    private struct Pipe {
        let reading: OwnedDescriptor
        let writing: OwnedDescriptor

        init(for name: String) throws(SystemError) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0, let reading = OwnedDescriptor(ends[0]),
                let writing = OwnedDescriptor(ends[1])
            else { throw SystemError("\(name) can't be started") }
            // Swift doesn't import pipe2(2), which would do both at once.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            self.reading = reading
            self.writing = writing
        }
    }
}
