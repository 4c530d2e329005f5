import SystemKit
import TestSupport
import Testing

@Suite("Paths, arguments and variables as bytes")
struct SystemTextTests {
    @Test(
        "every sequence of bytes has a string of its own, which stands for the same bytes",
        arguments: [
            [], Array("plain/é/日本".utf8), [0xE9], [0x2F, 0xE9, 0x2F, 0xC3, 0xA9], [0xF4, 0x90, 0x80, 0x80],
            // A surrogate, an incomplete scalar, and scalars of the range that represents single bytes.
            [0xED, 0xA0, 0x80], [0x61, 0xE2, 0x82], Array("\u{10F7E9}".utf8),
            Array("\u{10F77F}\u{10F800}".utf8),
        ] as [[UInt8]])
    func bijective(bytes: [UInt8]) {
        let text = SystemText.string(bytes)
        #expect(SystemText.bytes(text) == bytes)
        #expect(SystemText.repaired(text) == String(decoding: bytes, as: UTF8.self))
        #expect(SystemText.withBytes(text) { SystemText.string($0) } == text)
    }

    @Test("any bytes at all come back, and no two sequences have the same string")
    func random() {
        var generator = SeededGenerator(seed: 17)
        var seen: [String: [UInt8]] = [:]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                // Mostly the bytes of scalars that take several bytes.
                UInt8.random(in: Bool.random(using: &generator) ? 0x80...0xFF : 1...0xFF, using: &generator)
            }
            let text = SystemText.string(bytes)
            #expect(SystemText.bytes(text) == bytes)
            #expect(seen.updateValue(bytes, forKey: text) ?? bytes == bytes)
        }
    }

    @Test("a text that is UTF-8 is the same as a path")
    func plain() {
        #expect(SystemText.string(Array("/home/jürgen".utf8)) == "/home/jürgen")
        #expect(SystemText.bytes("/home/jürgen") == Array("/home/jürgen".utf8))
    }

    @Test("files of any name are made, found, renamed and removed under that name")
    func files() throws {
        let folder = try TemporaryFolder()
        let name = SystemText.string([0x63, 0xE9])
        let path = "\(folder.path)/\(name)"
        #expect(NewFile.makeFolder(path) == 0)
        let file = try #require(OwnedDescriptor(NewFile.open("\(path)/\(name)", O_RDWR)))
        try FileDescriptor(file.number, named: "a file").write("x")
        #expect(names(inFolder: folder.path).filter { !$0.hasPrefix(".") } == [name])
        #expect(try FileDescriptor.contents(of: "\(path)/\(name)") == Array("x".utf8))
        #expect(FileIdentity(path: "\(path)/\(name)") == FileIdentity(descriptor: file.number))
        #expect(
            rename("\(path)/\(name)", "\(path)/other") == 0 && link("\(path)/other", "\(path)/\(name)") == 0)
        #expect(access("\(path)/\(name)", F_OK) == 0 && realPath("\(path)/\(name)") == "\(path)/\(name)")
        #expect(unlink("\(path)/\(name)") == 0 && unlink("\(path)/other") == 0 && rmdir(path) == 0)
        #expect(names(inFolder: folder.path).filter { !$0.hasPrefix(".") } == [])
    }

    @Test(
        "a path is taken apart by bytes: a slash is one whatever comes behind it",
        arguments: [
            ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a/b/", "a", "b"), ("a", nil, "a"), ("//a", "/", "a"),
            ("/a/\u{301}b", "/a", "\u{301}b"),
        ] as [(String, String?, String)])
    func parts(path: String, parent: String?, name: String) {
        #expect(PathParts.parent(of: path) == parent)
        #expect(PathParts.name(of: path) == name)
    }

    @Test("without HOME the home folder is the one in the system's list of users")
    func home() throws {
        #expect(Environment(["HOME": "/a"], listedHome: "/b").home == "/a")
        #expect(Environment(["HOME": ""], listedHome: "/b").home == "/b")
        #expect(Environment([:]).home == nil)
    }
}
