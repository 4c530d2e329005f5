import Glibc

/// Makes sure that a device has one agent: held from the agent's start to its end, however that comes.
struct AgentLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock; nil where another agent has it.
    ///
    /// - Throws: where the file can't be made.
    init?(path: String) throws(SystemError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("\(path) can't be made") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
