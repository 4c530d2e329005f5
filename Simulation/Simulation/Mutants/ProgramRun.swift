import Foundation

/// A finished run of another program.
struct ProgramRun {
    /// The end of a run.
    enum End: Hashable {
        /// The program exited by itself, with this status.
        case exited(Int32)
        /// A signal ended the program, in most cases a trap.
        case crashed
        /// The program exceeded its time, and was terminated.
        case tooLong
    }

    let end: End
    /// The program's standard output and standard error.
    let output: String

    /// The limit of a program's memory, in KiB. A defect may make it allocate without end.
    private static let memory = 8 << 20

    /// Runs a program. It is terminated after `seconds` seconds, and can't exceed the memory limit.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: URL,
        within seconds: Double
    ) throws {
        // The output goes to a file. A pipe might be held open by a child that outlives the program.
        let outputFile = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lockstep-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: outputFile.path, contents: nil) else {
            throw MutantCopy.Failure(description: "\(outputFile.path) can't be made")
        }
        defer { try? FileManager.default.removeItem(at: outputFile) }
        let handle = try FileHandle(forWritingTo: outputFile)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", "ulimit -v \(ProgramRun.memory) 2>/dev/null; exec \"$0\" \"$@\"", program] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        process.currentDirectoryURL = folder
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        let deadline = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: deadline)
        let began = ContinuousClock.now
        process.waitUntilExit()
        deadline.cancel()
        output = String(decoding: try Data(contentsOf: outputFile), as: UTF8.self)
        switch process.terminationReason {
        case .exit: end = .exited(process.terminationStatus)
        default: end = ContinuousClock.now - began >= .seconds(seconds) ? .tooLong : .crashed
        }
    }
}
