import Foundation
package import SystemKit

/// A device's folder for one test, which is removed after it.
package final class TemporaryHome: Sendable {
    /// The folder's path. The folder may not exist yet.
    package let path: String

    /// The path of a new folder that doesn't exist yet.
    package init() {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("focus-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The environment of a login session with this folder as its home, and with a runtime folder.
    package var session: Environment {
        Environment(["HOME": path, "XDG_DATA_HOME": path, "XDG_RUNTIME_DIR": "\(path)/run"])
    }

    /// The permissions of a file in the folder, or nil if there is none.
    package func permissions(_ name: String) -> Int? {
        let path = name.isEmpty ? path : "\(path)/\(name)"
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }

    /// The names of the files in the folder, sorted.
    package var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
