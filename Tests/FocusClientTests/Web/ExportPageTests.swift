import ClientSupport
import CommandLineKit
import FocusCore
import FocusHTTP
import FocusSeal
import Foundation
import TestSupport
import Testing

@testable import FocusClient

@Suite("focus web --export")
struct ExportPageTests {
    private let folder: TemporaryFolder
    private let laptop = TestContext()
    /// The device's code as it is in the sources.
    private let code: Data

    init() throws {
        folder = try TemporaryFolder()
        let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        code = try Data(contentsOf: root.appending(path: "Client/FocusWeb/Assets/device.js"))
        try FileManager.default.createDirectory(
            atPath: folder.file("web"), withIntermediateDirectories: false)
        let hash = try digest(of: code)
        let files = [
            "index.html": Data("<!doctype html>".utf8), "device.js": code,
            "focus.wasm": Data([0, 0xFF, 0xFE]),
            "service-worker.js": Data("const files = {\"/device.js\":\"\(hash)\"};".utf8),
        ]
        for (name, bytes) in files { try bytes.write(to: URL(filePath: folder.file("web/\(name)"))) }
    }

    private func digest(of bytes: Data) throws -> String {
        try Digest(of: Array(bytes).span.bytes).hexadecimal
    }

    private func export(_ source: String, to target: String, for server: String? = nil) throws {
        let origin = try server.map { try #require(WebOrigin($0)) }
        try ExportPageCommand(folder: folder.file(target), server: origin)
            .run(from: folder.file(source), in: laptop.context)
    }

    @Test("all files are copied as they are, and everybody may read them")
    func copy() throws {
        try export("web", to: "page")
        let names = ["device.js", "focus.wasm", "index.html", "service-worker.js"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("page")).sorted() == names)
        for name in names {
            #expect(try folder.contents("page/\(name)") == folder.contents("web/\(name)"))
            #expect(try folder.mode("page/\(name)") == 0o644)
        }
        #expect(try folder.mode("page") == 0o755)
        #expect(laptop.output.hasPrefix("4 files are in ") && laptop.output.contains("'/sync'"))
    }

    @Test("a copy that is to name another server does, and its service worker has the changed file's hash")
    func otherServer() throws {
        try export("web", to: "page", for: "https://focus.example:8443")
        let copy = try folder.contents("page/device.js")
        let line = "\nconst otherServer = \"https://focus.example:8443\";\n"
        #expect(String(decoding: copy, as: UTF8.self).contains(line))
        #expect(copy.count == code.count + line.utf8.count - "\nconst otherServer = null;\n".utf8.count)
        let worker = String(decoding: try folder.contents("page/service-worker.js"), as: UTF8.self)
        let hash = try digest(of: copy)
        #expect(worker == "const files = {\"/device.js\":\"\(hash)\"};")
        #expect(laptop.output.contains("'web-origins'"))
    }

    @Test("nothing is written into a folder with files, or without the page")
    func refusals() throws {
        let full = CommandFailure("\(folder.file("web")) can't be used: Directory not empty.")
        #expect(throws: full) { try export("web", to: "web") }
        let absent = CommandFailure(
            "The page isn't installed here: there is no \(folder.file("nowhere"))/index.html. It comes with the "
                + "package lockstep-focusd and with the archive.")
        #expect(throws: absent) { try export("nowhere", to: "page") }
        try Data("const files = {};".utf8).write(to: URL(filePath: folder.file("web/service-worker.js")))
        #expect(throws: CommandFailure("The page in \(folder.file("web")) isn't of this version.")) {
            try export("web", to: "page", for: "https://focus.example")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("page")))
    }
}
