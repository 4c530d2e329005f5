import FocusPage
import Foundation
import Testing

@Suite("The page's files")
struct AssetTests {
    private var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Client/FocusPage/Assets")
    }

    @Test("the table has each file of the folder once, as it stands there")
    func tableIsWhole() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            PageAssets.all.map(\.path).sorted()
                == names.map { $0 == "page.html" ? "/" : "/\($0)" }.sorted())
        for asset in PageAssets.all {
            let name = asset.path == "/" ? "page.html" : String(asset.path.dropFirst())
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
            #expect(asset.bytes == bytes, "\(name)")
        }
    }

    @Test("the page's markup has no style, no script and no handler within it, which its policy would refuse")
    func markupIsBare() throws {
        let page = try #require(PageAssets.all.first { $0.path == "/" })
        let text = String(decoding: page.bytes, as: UTF8.self)
        for refused in [#/\sstyle=/#, #/<style/#, #/<script(?![^>]*src=)/#, #/\son[a-z]+=/#] {
            #expect(text.firstMatch(of: refused) == nil)
        }
    }

    @Test("what the files refer to is there")
    func referencesResolve() throws {
        let paths = Set(PageAssets.all.map(\.path))
        for asset in PageAssets.all {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            let reference = #/(?:from|import) "\.?(/[a-z-]+\.(?:js|css))"|(?:href|src)="(/[^"#]+)"/#
            for match in text.matches(of: reference) {
                let path = String(match.1 ?? match.2 ?? "")
                #expect(paths.contains(path), "\(asset.path) refers to \(path)")
            }
        }
    }
}
