import Foundation
import Synchronization
package import TestSupport

extension TemporaryFolder {
    /// The path of a new file in the folder.
    package func fresh(_ kind: String) -> String { file("\(kind)-\(UUID().uuidString)") }

    /// Starts a shell command and doesn't wait for it.
    package func shell(_ line: String) throws -> RunningProgram {
        try Program(path: "/bin/sh").start(
            ["-c", line], ["LOCKSTEP_TEST": path], in: self, log: fresh("messages"))
    }
}

/// Writes an executable shell script.
///
/// No program starts meanwhile. It would inherit the open file, and the system refuses to run a file that a
/// process has open for writing.
package func writeScript(_ lines: String, to path: String, mode: Int = 0o755) throws {
    try Program.spawning.withLock { _ in
        try "#!/bin/sh\n\(lines)\n".write(toFile: path, atomically: false, encoding: .utf8)
    }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

/// Copies a built program. No program starts meanwhile, for the same reason as in `writeScript`.
package func copyProgram(_ program: Program, to path: String) throws {
    try Program.spawning.withLock { _ in
        try FileManager.default.copyItem(atPath: program.path, toPath: path)
    }
}

/// The text of a file; empty if there is none.
package func text(of path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
}
