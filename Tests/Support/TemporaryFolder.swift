package import Foundation

/// A folder for one test, which is removed after it. Its path is short enough for a Unix socket in it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "lockstep-" + UUID().uuidString.prefix(12)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder. The file need not exist.
    package func file(_ name: String = "test.db") -> String { path + "/" + name }

    package func contents(_ name: String = "test.db") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }

    /// The permission bits of a file, or nil if there is none.
    package func mode(_ name: String) throws -> Int? {
        guard FileManager.default.fileExists(atPath: file(name)) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }
}
