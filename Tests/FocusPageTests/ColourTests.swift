import FocusDevice
import FocusPage
import Foundation
import Testing

/// The contrast of the page's colours (WCAG 2.2, 1.4.3 and 1.4.11), from the style sheet itself.
@Suite("The page's colours")
struct ColourTests {
    /// The colours by name, for each accent: on a light page and on a dark one.
    private let colours: [String: [String: [String]]]

    init() throws {
        let sheet = try #require(PageAssets.all.first { $0.path == "/colours.css" })
        let text = String(decoding: sheet.bytes, as: UTF8.self)
        var blocks: [String: [String: [String]]] = [:]
        let block = #/:root(?:\[data-accent="([a-z]+)"\])? \{([^}]*)\}/#
        let line = #/--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);/#
        for match in text.matches(of: block) {
            let accent = match.1.map { String($0) } ?? ""
            for colour in match.2.matches(of: line) {
                blocks[accent, default: [:]][String(colour.1)] = [String(colour.2), String(colour.3)]
            }
        }
        // The first accent has the colours of all.
        let common = try #require(blocks[""])
        colours = Dictionary(
            uniqueKeysWithValues: Appearance.Accent.allCases.map { accent in
                (accent.rawValue, common.merging(blocks[accent.rawValue] ?? [:]) { $1 })
            })
        #expect(Set(blocks.keys) == Set([""] + Appearance.Accent.allCases.dropFirst().map(\.rawValue)))
    }

    @Test("text has a contrast of 4.5, and rings and edges of 3, with every accent, light and dark")
    func contrast() throws {
        let back = ["back", "raised"]
        let text = ["text", "dim", "work-text", "break-text"].flatMap { name in back.map { (name, $0) } }
        let fills = [
            ("on-fill", "work-fill"), ("on-fill", "break-fill"), ("warn", "warn-back"), ("warn", "back"),
        ]
        let shapes = ["work-ring", "break-ring", "edge"].flatMap { name in back.map { (name, $0) } }
        for (accent, named) in colours.sorted(by: { $0.key < $1.key }) {
            for (pairs, least) in [(text + fills, 4.5), (shapes, 3)] {
                for (front, behind) in pairs {
                    let (one, other) = (try #require(named[front]), try #require(named[behind]))
                    for (place, page) in ["light", "dark"].enumerated() {
                        let found = try ColourTests.contrast(one[place], other[place])
                        #expect(found >= least, "\(accent), \(page): \(front) on \(behind)")
                    }
                }
            }
        }
    }

    @Test("each accent has its own colour of work, and no other one")
    func accents() throws {
        let rings = colours.values.compactMap { $0["work-ring"] }
        #expect(Set(rings).count == Appearance.Accent.allCases.count)
        #expect(Set(colours.values.compactMap { $0["break-ring"] }).count == 1)
    }

    @Test("the settings screen offers the names of the settings, and the tab's icon has the same colours")
    func scripts() throws {
        func text(_ path: String) throws -> String {
            String(decoding: try #require(PageAssets.all.first { $0.path == path }).bytes, as: UTF8.self)
        }
        for setting in [LaptopSetting.theme, .accent] {
            let names = (setting.names ?? []).map { "\"\($0)\"" }.joined(separator: ", ")
            #expect(try text("/settings.js").contains("names: [\(names)]"), "\(setting)")
        }
        for (accent, named) in colours {
            let ring = try #require(named["work-ring"]?.first)
            #expect(try text("/icon.js").contains("\(accent): \"#\(ring)\""), "\(accent)")
        }
    }

    private static func contrast(_ one: String, _ other: String) throws -> Double {
        let lights = try [one, other].map { try luminance($0) }
        return (max(lights[0], lights[1]) + 0.05) / (min(lights[0], lights[1]) + 0.05)
    }

    private static func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour, radix: 16))
        return zip([number >> 16, number >> 8 & 0xFF, number & 0xFF], [0.2126, 0.7152, 0.0722]).reduce(0) {
            let value = Double($1.0) / 255
            return $0 + $1.1 * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
        }
    }
}
