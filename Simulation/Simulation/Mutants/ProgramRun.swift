import Foundation

/// A program that was run to its end, or ended.
struct ProgramRun {
    /// How it ended.
    enum End: Hashable {
        /// By itself, with this status.
        case exited(Int32)
        /// A signal ended it: a trap, mostly.
        case crashed
        /// It took longer than it might, and was ended.
        case tooLong
    }

    let end: End
    /// All that it said.
    let output: String

    /// No program that is tried takes more memory than this, in KiB: a defect may make it ask for more and more.
    private static let memory = 8 << 20

    /// Runs a program; it is ended where it takes longer than so many seconds, or more memory than any should.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: URL,
        within seconds: Double
    ) throws {
        // Into a file: what the program has started may have a pipe open for longer than it lives.
        let said = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lockstep-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: said.path, contents: nil) else {
            throw MutantCopy.Failure(description: "\(said.path) can't be made")
        }
        defer { try? FileManager.default.removeItem(at: said) }
        let handle = try FileHandle(forWritingTo: said)
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
        output = String(decoding: try Data(contentsOf: said), as: UTF8.self)
        switch process.terminationReason {
        case .exit: end = .exited(process.terminationStatus)
        default: end = ContinuousClock.now - began >= .seconds(seconds) ? .tooLong : .crashed
        }
    }
}
