package import Foundation

/// A folder of a test's own, gone with it. Its path is short enough for a local socket's.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "lockstep-" + UUID().uuidString.prefix(12)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it, whether there is one or not.
    package func file(_ name: String = "test.db") -> String { path + "/" + name }

    package func contents(_ name: String = "test.db") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }

    /// The permission bits of a file, nil where there is none.
    package func mode(_ name: String) throws -> Int? {
        guard FileManager.default.fileExists(atPath: file(name)) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }
}
