import Foundation
import Synchronization
package import TestSupport

extension TemporaryFolder {
    /// The path of a file in it that was not named before.
    package func fresh(_ kind: String) -> String { file("\(kind)-\(UUID().uuidString)") }

    /// Starts a line of the shell, and doesn't wait for it.
    package func shell(_ line: String) throws -> RunningProgram {
        try Program(path: "/bin/sh").start(
            ["-c", line], ["LOCKSTEP_TEST": path], in: self, log: fresh("messages"))
    }
}

/// Makes a program of some lines for the shell.
///
/// No program begins meanwhile: it would have the file open until it is the program, and nobody can run a file that
/// somebody may write to.
package func writeScript(_ lines: String, to path: String, mode: Int = 0o755) throws {
    try Program.spawning.withLock { _ in
        try "#!/bin/sh\n\(lines)\n".write(toFile: path, atomically: false, encoding: .utf8)
    }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

/// Makes a copy of a built program, while no other begins, as `writeScript` has it.
package func copyProgram(_ program: Program, to path: String) throws {
    try Program.spawning.withLock { _ in
        try FileManager.default.copyItem(atPath: program.path, toPath: path)
    }
}

/// Puts a copy of a folder, as it is now, where another folder may be, which goes.
package func copyFolder(_ source: String, to target: String) throws {
    let files = FileManager.default
    if files.fileExists(atPath: target) { try files.removeItem(atPath: target) }
    try files.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: source) where !name.hasSuffix(".sock") {
        try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
    }
}

/// The text of a file, empty where there is none.
package func text(of path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
}
