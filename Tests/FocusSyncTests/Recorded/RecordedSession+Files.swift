import Foundation

extension RecordedSession {
    private static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Sessions")
    }

    /// The names of all recordings.
    static var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".txt") }.sorted()
    }

    /// Returns the recording with this name.
    static func named(_ name: String) throws -> RecordedSession {
        try RecordedSession(
            String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
    }

    /// Stores the recording as a new file. Throws if the file exists.
    func keep(as name: String) throws {
        let file = RecordedSession.folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file, options: .withoutOverwriting)
    }
}
