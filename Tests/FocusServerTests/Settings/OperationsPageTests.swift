import CommandLineKit
import Foundation
import Testing

@testable import FocusServer

@Suite struct OperationsPageTests {
    /// The table of settings that docs/operations.md must contain.
    private var table: String {
        Setting.Topic.allCases.map { topic in
            let rows = Setting.all.filter { $0.topic == topic }.map { setting in
                "| `\(setting.name)` | `\(setting.standard)` | \(setting.allowed) | \(setting.summary) |"
            }
            return (["| \(topic.rawValue) | default | allowed | |", "| --- | --- | --- | --- |"] + rows)
                .map { "\($0)\n" }.joined()
        }.joined(separator: "\n")
    }

    @Test("docs/operations.md lists every setting as the program has it") func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
        #expect(page.contains(table), "It has to be:\n\(table)")
    }

    @Test("focusd.conf(5) has an entry for every setting, and its example is a file that is taken")
    func manual() {
        let page = SettingsManual.page
        let text = "\(page.sections)"
        for setting in Setting.all { #expect(text.contains(setting.variable), "\(setting.name)") }
        for block in page.sections.flatMap(\.blocks) {
            guard case .lines(let lines) = block else { continue }
            #expect(SettingsFile(Array(lines.joined(separator: "\n").utf8)).problems == [])
        }
    }
}
