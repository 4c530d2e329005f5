#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts the agent in the background, where none runs.
package enum AgentLauncher {
    /// Starts this program again as the agent, in a session of its own; what it says goes to the end of the file
    /// `log`. It ends by itself where an agent runs already.
    ///
    /// Returns false where the system doesn't let a process be started. Doesn't wait for the agent.
    package static func start(program: String, log: String) -> Bool {
        BackgroundProgram.start(program, ["focus", "agent", "run"], messages: log) != nil
    }

    /// The path of the program that runs.
    package static var thisProgram: String {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes { buffer in
            buffer.assumingMemoryBound(to: CChar.self).baseAddress.map {
                readlink("/proc/self/exe", $0, buffer.count)
            } ?? -1
        }
        guard count > 0, count < path.count else { return CommandLine.arguments.first ?? "focus" }
        return String(decoding: path[..<count], as: UTF8.self)
    }
}
