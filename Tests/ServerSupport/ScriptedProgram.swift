import Foundation

/// A program that a script of the shell starts in a folder of its own, and that ends as this is let go of, or with the process,
/// however that ends: the script waits for its input to be closed.
package final class ScriptedProgram: Sendable {
    /// Why it doesn't run.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where it is.
    let folder: String
    /// As long as this is open, it goes on.
    private let life: FileHandle

    /// Waits until the script says where the program is, once it can be used: `at FOLDER`, and then closes its output.
    ///
    /// - Parameter variables: what the script finds in its environment besides the process's own.
    /// - Throws: what the script says otherwise.
    init(_ script: String, _ variables: [String: String]) throws {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        life = input.fileHandleForWriting
        // Other programs that tests start must not keep it open.
        _ = fcntl(life.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard said.hasPrefix("at ") else { throw Failure(description: said) }
        folder = said.dropFirst(3).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
