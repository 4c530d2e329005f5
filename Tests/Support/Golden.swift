import Foundation

/// Compares texts with files in the repository, so that reviewers see each change of texts for people.
public enum Golden {
    /// The environment variable that makes a comparison write its file. The comparison fails even so, so that
    /// a recording run is never taken for a passing one.
    public static let recordVariable = "RECORD_GOLDENS"

    /// The first difference between `text` and the file `name` in the folder `Goldens` beside the test's
    /// source. Nil if they are equal.
    public static func difference(_ text: String, _ name: String, source: String = #filePath) -> String? {
        let file = URL(fileURLWithPath: source).deletingLastPathComponent()
            .appendingPathComponent("Goldens").appendingPathComponent(name)
        if ProcessInfo.processInfo.environment[recordVariable] != nil { return record(text, in: file) }
        guard let data = try? Data(contentsOf: file) else {
            return "\(name) is missing; \(recordVariable)=1 records it"
        }
        return firstDifference(expected: String(decoding: data, as: UTF8.self), found: text)
    }

    private static func record(_ text: String, in file: URL) -> String {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return "\(file.lastPathComponent) was recorded; run again without \(recordVariable)"
        } catch {
            return "\(file.lastPathComponent) could not be recorded: \(error)"
        }
    }

    private static func firstDifference(expected: String, found: String) -> String? {
        guard expected != found else { return nil }
        let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let found = found.split(separator: "\n", omittingEmptySubsequences: false)
        let line = zip(expected, found).prefix { $0 == $1 }.count
        let before = line < expected.count ? "'\(expected[line])'" : "the end"
        let now = line < found.count ? "'\(found[line])'" : "the end"
        return "line \(line + 1) was \(before), is now \(now)"
    }
}
