import FocusPage
import Foundation
import Testing

@Suite("The page's files")
struct AssetTests {
    private var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    private var folder: URL { root.appendingPathComponent("Client/FocusPage/Assets") }

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

    @Test("the manifest has the page's name and colours, and an icon of any size")
    func manifestFits() throws {
        let files = Dictionary(uniqueKeysWithValues: PageAssets.all.map { ($0.path, $0) })
        let manifest = try #require(files["/manifest.webmanifest"])
        #expect(manifest.contentType == "application/manifest+json")
        let parsed = try JSONSerialization.jsonObject(with: Data(manifest.bytes))
        let members = try #require(parsed as? [String: Any])
        let page = String(decoding: try #require(files["/"]).bytes, as: UTF8.self)
        let name = try #require(members["name"] as? String)
        #expect(page.contains("<title>\(name)</title>"))
        let colours = String(decoding: try #require(files["/colours.css"]).bytes, as: UTF8.self)
        let back = try #require(colours.firstMatch(of: /--back: light-dark\((#\w+), (#\w+)\)/)?.output)
        for name in ["background_color", "theme_color"] {
            #expect(members[name] as? String == String(back.1), "\(name)")
        }
        let bars = page.matches(of: /name="theme-color" media="[^"]+" content="([^"]+)"/)
        #expect(bars.map(\.output.1) == [back.1, back.2])
        for name in ["start_url", "scope"] {
            #expect(files[members[name] as? String ?? ""] != nil, "\(name)")
        }
        let icons = try #require(members["icons"] as? [[String: String]])
        for icon in icons {
            #expect(files[icon["src"] ?? ""]?.contentType == icon["type"])
        }
        #expect(icons.contains { $0["sizes"] == "any" })
    }

    @Test("the desktop's icon is the page's, in each size that the other files of icons have in their paths")
    func desktopIcons() throws {
        let icons = root.appendingPathComponent("deploy/desktop/icons/hicolor")
        let page = try Data(contentsOf: folder.appendingPathComponent("icon.svg"))
        let remedy: Comment = "make icons"
        #expect(
            try Data(contentsOf: icons.appendingPathComponent("scalable/apps/lockstep.svg")) == page, remedy)
        for size in [16, 22, 24, 32, 48, 64, 128, 256] {
            let file = icons.appendingPathComponent("\(size)x\(size)/apps/lockstep.png")
            // A PNG file has its width and height from byte 16 on.
            let width = Array(try Data(contentsOf: file)[16..<20])
            #expect(width == [0, 0, UInt8(size >> 8), UInt8(size & 255)], "\(size)")
        }
    }
}
