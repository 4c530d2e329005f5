/// The result of a program that has ended.
package struct ProgramResult: Hashable, Sendable {
    /// The exit status; 128 plus the signal's number if a signal ended the program.
    package let status: Int32
    /// The standard output and the error output of the program, mixed as it wrote them.
    package let text: String

    /// The most bytes of input: a pipe of every system holds them, so writing them never waits for the program.
    private static let inputLimit = 16_384

    /// Makes a result from its parts.
    package init(status: Int32, text: String) {
        self.status = status
        self.text = text
    }

    /// Runs a program and waits for its end.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments. A name without a slash is looked up in PATH.
    ///   - input: The program's standard input, at most 16,384 bytes.
    /// - Throws: `SystemError` if it can't be started: usually there is no such program.
    package static func run(_ words: [String], input: [UInt8] = []) throws(SystemError) -> ProgramResult {
        let name = words.first ?? ""
        let source = try ProgramResult.source(input, name)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("\(name) can't be started") }
        let (output, writing) = (ends[0], ends[1])
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let source {
            posix_spawn_file_actions_adddup2(&actions, source.number, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, writing, 1)
        posix_spawn_file_actions_adddup2(&actions, writing, 2)
        posix_spawn_file_actions_addclose(&actions, writing)
        posix_spawn_file_actions_addclose(&actions, output)
        if let source { posix_spawn_file_actions_addclose(&actions, source.number) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
        let failure = withExtendedLifetime(source) {
            SystemText.withBytes(name) { posix_spawnp(&process, $0, &actions, nil, arguments, environ) }
        }
        close(writing)
        guard failure == 0 else { throw SystemError("\(name) can't be started", code: failure) }
        let bytes = try FileDescriptor(output, named: name).readAll()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return ProgramResult(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F),
            text: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the reading end of a pipe that holds the input, or nil if there is none.
    private static func source(_ input: [UInt8], _ name: String) throws(SystemError) -> OwnedDescriptor? {
        guard !input.isEmpty else { return nil }
        var ends: [Int32] = [-1, -1]
        guard input.count <= inputLimit, pipe(&ends) == 0, let source = OwnedDescriptor(ends[0]) else {
            throw SystemError("\(name) can't be started")
        }
        defer { close(ends[1]) }
        try FileDescriptor(ends[1], named: name).write(input.span.bytes)
        return source
    }
}
