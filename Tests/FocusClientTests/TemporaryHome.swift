import Foundation

/// A device's folder for one test, gone after it.
final class TemporaryHome: Sendable {
    let path: String

    init() {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("focus-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The permissions of a file in it; nil where there is none.
    func permissions(_ name: String) -> Int? {
        let path = name.isEmpty ? path : "\(path)/\(name)"
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }

    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
