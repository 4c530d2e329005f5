import Foundation
import SQLiteKit

/// A folder of a test's own, gone with it.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sqlitekit-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "test.db") -> String { path + "/" + name }

    func contents(_ name: String = "test.db") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }

    /// The permission bits of a file, nil where there is none.
    func mode(_ name: String) throws -> Int? {
        guard FileManager.default.fileExists(atPath: file(name)) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }
}
