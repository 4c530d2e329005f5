import Foundation
package import SystemKit

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

    /// What a person's session says whose home it is, with a folder for what runs.
    package var session: Environment {
        Environment(["HOME": path, "XDG_DATA_HOME": path, "XDG_RUNTIME_DIR": "\(path)/run"])
    }

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
