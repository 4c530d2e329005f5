import Foundation
import TestSupport
import Testing

@testable import FocusServing

@Suite("The page's files")
struct WebFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ bytes: Int = 1) throws {
        try Data(repeating: 7, count: bytes).write(to: URL(filePath: folder.file(name)))
    }

    @Test("each kind of the page's files has its content type, and other files aren't served")
    func types() throws {
        let types = [
            "index.html": "text/html; charset=utf-8", "page.js": "text/javascript; charset=utf-8",
            "page.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml", "icon-2.png": "image/png",
            "lockstep_1.wasm": "application/wasm", "manifest.webmanifest": "application/manifest+json",
        ]
        for name in types.keys { try write(name) }
        for name in ["README", "page.js.gz", ".html", "js", "a b.js", "\u{E9}.js", "page.JS"] {
            try write(name)
        }
        let files = try WebFiles(inFolder: folder.path)
        #expect(files.count == types.count && files.omissions == [])
        for (name, type) in types {
            #expect(files["/\(name)"]?.type == type)
            #expect(files["/\(name)"]?.bytes == [7])
        }
        #expect(files["/"] == files["/index.html"])
        #expect(files["/README"] == nil && files["index.html"] == nil && files["/../index.html"] == nil)
    }

    @Test("only regular files of at most 8 MiB are served, and what is left out is named")
    func unfit() throws {
        try write("a.js", 8 << 20)
        try write("b.js", 8 << 20 + 1)
        try FileManager.default.createDirectory(
            atPath: folder.file("c.js"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("d.js"), withDestinationPath: folder.file("a.js"))
        #expect(mkfifo(folder.file("e.js"), 0o600) == 0)
        let files = try WebFiles(inFolder: folder.path)
        #expect(files.count == 1 && files["/a.js"]?.bytes.count == 8 << 20)
        #expect(
            files.omissions == [
                WebFiles.Omission(path: folder.file("b.js"), reason: "too long"),
                WebFiles.Omission(path: folder.file("c.js"), reason: "no regular file"),
                WebFiles.Omission(path: folder.file("d.js"), reason: "no regular file"),
                WebFiles.Omission(path: folder.file("e.js"), reason: "no regular file"),
            ])
    }

    @Test("at most 200 files are served")
    func tooMany() throws {
        for number in 100..<300 { try write("\(number).js") }
        #expect(try WebFiles(inFolder: folder.path).omissions == [])
        try write("300.js")
        let files = try WebFiles(inFolder: folder.path)
        #expect(files.count == 200 && files["/300.js"] == nil)
        #expect(
            files.omissions == [WebFiles.Omission(path: folder.file("300.js"), reason: "too many files")])
    }

    @Test("without a folder there are no files")
    func noFolder() throws {
        let files = try WebFiles(inFolder: folder.file("nowhere"))
        #expect(files.count == 0 && files.omissions == [] && files["/"] == nil)
    }

    @Test("a content's tag is found in a browser's list of tags")
    func tags() throws {
        let file = try WebFiles.File("text/css", [1, 2, 3])
        #expect(file.tag == "\"039058c6f2c0cb492c533b0a4d14ef77\"")
        for list in [file.tag, "W/\(file.tag)", "\"a\", \(file.tag)", "\"a\",\(file.tag),\"b\"", "*"] {
            #expect(file.isTagged(in: list), "\(list)")
        }
        for list in ["", "\"a\"", String(file.tag.dropFirst().dropLast()), "W/*"] {
            #expect(!file.isTagged(in: list), "\(list)")
        }
    }
}
