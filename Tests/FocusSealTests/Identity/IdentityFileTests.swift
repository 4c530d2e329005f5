import FocusSeal
import Foundation
import Testing

@Suite struct IdentityFileTests {
    /// Calls `body` with a path in a folder that is removed afterwards.
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "identity.pem").path)
    }

    @Test("a new identity is kept in a file that only its owner may read, with nothing left beside it")
    func create() throws {
        try withPath { path in
            let file = IdentityFile(path: path)
            #expect(try file.load() == nil)
            let made = try file.loadOrCreate()
            #expect(try file.load()?.keyHash == made.keyHash)
            #expect(try file.loadOrCreate().keyHash == made.keyHash)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let folder = URL(filePath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["identity.pem"])
        }
    }

    @Test("an identity that is there is never overwritten") func noOverwriting() throws {
        try withPath { path in
            let file = IdentityFile(path: path)
            let first = try DeviceIdentity.generate()
            #expect(try file.create(first))
            #expect(try !file.create(.generate()))
            #expect(try file.load()?.keyHash == first.keyHash)
        }
    }

    @Test("a file that others may read is refused") func exposed() throws {
        try withPath { path in
            let file = IdentityFile(path: path)
            _ = try file.loadOrCreate()
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            #expect(code(try file.load()) == .exposedFile)
        }
    }

    @Test("a file cut short is refused and stays as it is") func truncated() throws {
        try withPath { path in
            let file = IdentityFile(path: path)
            let text = try DeviceIdentity.generate().pem().exposed()
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data(text.prefix(100)), attributes: [.posixPermissions: 0o600]))
            #expect(code(try file.loadOrCreate()) == .malformedKey)
            #expect(try Data(contentsOf: URL(filePath: path)).count == 100)
        }
    }

    @Test("a folder that isn't there is an error that names the file") func noFolder() throws {
        let file = IdentityFile(path: "/nonexistent/identity.pem")
        #expect(code(try file.loadOrCreate()) == .file)
    }
}
