import Foundation

/// A program that a shell script starts in a folder of its own.
///
/// It ends when this object is released or when the process ends in any way, because the script waits for the
/// end of its input.
package final class ScriptedProgram: Sendable {
    /// The script's message if the program doesn't start.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The program's folder.
    let folder: String
    /// The script's input. The program runs until it is closed.
    private let life: FileHandle

    /// Starts the script and waits until it closes its output. It must do so when the program is ready, after
    /// printing `at FOLDER`.
    ///
    /// - Parameter variables: Additional environment variables for the script.
    /// - Throws: `Failure` with any other output of the script.
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
        // Other programs that the tests start must not inherit it and keep it open.
        _ = fcntl(life.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard said.hasPrefix("at ") else { throw Failure(description: said) }
        folder = said.dropFirst(3).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
