import Foundation
import FuzzEntries
import Testing

/// Runs the inputs that the fuzzers keep: inputs with new coverage, and every input that ever failed.
@Suite("What the fuzzers keep")
struct FuzzRegressionTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz")

    private func inputs(_ folder: String, _ target: FuzzTarget) throws -> [URL] {
        let folder = Self.root.appendingPathComponent(folder).appendingPathComponent(target.name)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    @Test("every input that is kept holds", arguments: FuzzTarget.all)
    func kept(target: FuzzTarget) throws {
        let corpus = try inputs("Corpora", target)
        #expect(!corpus.isEmpty)
        for input in try corpus + inputs("Failures", target) {
            let bytes = Array(try Data(contentsOf: input))
            #expect(throws: Never.self, "\(input.lastPathComponent)") { try target.run(bytes) }
        }
    }

    @Test("each folder of inputs belongs to a fuzzer", arguments: ["Corpora", "Failures"])
    func folders(name: String) throws {
        let folder = Self.root.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(found).subtracting(FuzzTarget.all.map(\.name)) == [])
    }

    @Test("the inputs take less than a megabyte together")
    func size() throws {
        let files = try FuzzTarget.all.flatMap { try inputs("Corpora", $0) + inputs("Failures", $0) }
        let sizes = try files.map { try Data(contentsOf: $0).count }
        #expect(sizes.reduce(0, +) < 1 << 20)
    }
}
