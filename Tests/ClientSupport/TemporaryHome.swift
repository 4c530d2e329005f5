import Foundation

/// A device's folder for one test, gone after it.
package final class TemporaryHome: Sendable {
    /// Where it is, or will be.
    package let path: String

    /// A folder that nobody has made yet.
    package init() {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("focus-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The permissions of a file in it; nil where there is none.
    package func permissions(_ name: String) -> Int? {
        let path = name.isEmpty ? path : "\(path)/\(name)"
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }

    /// The names in it, in order.
    package var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
