import FocusSeal
import Foundation
import TestSupport
import Testing

@Suite struct IdentityFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("identity.pem")
    }

    @Test("a new identity is kept in a file that only its owner may read, with nothing left beside it")
    func create() throws {
        let file = IdentityFile(path: path)
        #expect(try file.load() == nil)
        let made = try file.loadOrCreate()
        #expect(try file.load()?.keyHash == made.keyHash)
        #expect(try file.loadOrCreate().keyHash == made.keyHash)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["identity.pem"])
    }

    @Test("an identity that is there is never overwritten") func noOverwriting() throws {
        let file = IdentityFile(path: path)
        let first = try DeviceIdentity.generate()
        #expect(try file.create(first))
        #expect(try !file.create(.generate()))
        #expect(try file.load()?.keyHash == first.keyHash)
    }

    @Test("a file that others may read is refused") func exposed() throws {
        let file = IdentityFile(path: path)
        _ = try file.loadOrCreate()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(code(try file.load()) == .exposedFile)
    }

    @Test("a file cut short is refused and stays as it is") func truncated() throws {
        let file = IdentityFile(path: path)
        let text = try DeviceIdentity.generate().pem().exposed()
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.prefix(100)), attributes: [.posixPermissions: 0o600]))
        #expect(code(try file.loadOrCreate()) == .malformedKey)
        #expect(try Data(contentsOf: URL(filePath: path)).count == 100)
    }

    @Test("a folder that isn't there is an error that names the file") func noFolder() throws {
        let file = IdentityFile(path: "/nonexistent/identity.pem")
        #expect(code(try file.loadOrCreate()) == .file)
    }
}
