import CommandLineKit
import FocusSync
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerCore
@testable import FocusServerStore
@testable import FocusServing

@Suite struct SettingTests {
    @Test("names and variables are each there once") func names() {
        #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
        #expect(Setting.all.first { $0.name == "max-groups" }?.variable == "FOCUSD_MAX_GROUPS")
    }

    @Test("each setting takes its own default, and what it takes it says", arguments: Setting.all.map(\.name))
    func defaults(_ name: String) throws {
        let setting = try #require(Setting.all.first { $0.name == name })
        var settings = ServerSettings()
        let isTaken = setting.set(setting.standard, &settings)
        #expect(isTaken)
        #expect(settings == ServerSettings())
        for text in ["1", "2", "64", "4096", "2KiB", "256KiB", "1MiB", "31s", "1m", "debug", "[::1]:1"] {
            var changed = ServerSettings()
            guard setting.set(text, &changed) else { continue }
            let said = setting.text(changed)
            var again = ServerSettings()
            let isTakenAgain = setting.set(said, &again)
            #expect(isTakenAgain && again == changed, "\(name) \(text) \(said)")
        }
    }

    @Test("each setting is one of its own: setting it changes nothing else") func independence() throws {
        let values = [
            "1.2.3.4", "postgresql://me@db/focusd", "/srv/backups", "error", "37s", "300KiB", "3KiB", "77MiB",
            "4001", "77", "33MiB", "https://focus.example",
        ]
        var all = ServerSettings()
        for setting in Setting.all {
            let isTaken = values.contains { setting.set($0, &all) }
            #expect(isTaken, "\(setting.name)")
        }
        for setting in Setting.all { #expect(setting.text(all) != setting.standard, "\(setting.name)") }
    }

    @Test("the page is off by default, and is served to this machine only if nothing but a port is named")
    func web() throws {
        let setting = try #require(Setting.all.first { $0.name == "web" })
        func place(_ text: String) -> String? {
            var settings = ServerSettings()
            return setting.set(text, &settings) ? setting.text(settings) : nil
        }
        #expect(setting.standard == "off" && ServerSettings().web.address == nil)
        #expect(place("7855") == "127.0.0.1:7855")
        for text in ["0.0.0.0:7855", "[::1]:7855", "off"] { #expect(place(text) == text) }
        for text in ["127.0.0.1", "focus.example:7855", ":7855", "99999", "on", ""] {
            #expect(place(text) == nil, "\(text)")
        }
    }

    @Test("options go before the environment, that before the file, and that before the default")
    func precedence() throws {
        let folder = try TemporaryFolder()
        try "max-groups = 2\nlog = warning\nmax-frame = 512KiB\n".write(
            toFile: folder.data.settings, atomically: false, encoding: .utf8)
        let variables = [
            "FOCUSD_LOG": "error", "FOCUSD_MAX_FRAME": "300KiB", "FOCUSD_LISTEN": "", "FOCUSD_X": "y",
        ]
        let effective = try EffectiveSettings(
            in: folder.data, environment: { variables[$0] }, options: ["max-frame": "400KiB"])
        #expect(effective.values.limits.groups == 2)
        #expect(effective.values.log == .error)
        #expect(effective.values.limits.session.frame == 400 << 10)
        #expect(effective.values.listen == nil)
        let sources = Dictionary(
            uniqueKeysWithValues: Setting.all.map { ($0.name, effective.source(of: $0)) })
        #expect(sources["max-groups"] == .file(line: 1))
        #expect(sources["log"] == .environment)
        #expect(sources["max-frame"] == .option)
        #expect(sources["listen"] == .standard)
    }

    @Test("a wrong variable is named") func wrongVariable() throws {
        let folder = try TemporaryFolder()
        do {
            _ = try EffectiveSettings(
                in: folder.data, environment: { $0 == "FOCUSD_LOG" ? "loud" : nil }, options: [:])
            Issue.record("it was taken")
        } catch {
            #expect(error.message.hasPrefix("FOCUSD_LOG in the environment: log must be one of debug"))
        }
    }

    @Test("sizes are read in bytes, KiB, MiB, GiB and TiB, and nothing else") func sizes() {
        #expect(SizeText.bytes(in: "4096") == 4096)
        #expect(SizeText.bytes(in: "64KiB") == 65_536)
        #expect(SizeText.bytes(in: "3GiB") == 3 << 30)
        #expect(SizeText.bytes(in: "1TiB") == SizeText.bytes(in: "1024GiB"))
        #expect(SizeText.text(1 << 40) == "1TiB")
        for text in [
            "", "KiB", "-1", "+1", "1 KiB", "1K", "1.5MiB", "9999999999GiB", "9999999999TiB",
            "99999999999999999999",
        ] {
            #expect(SizeText.bytes(in: text) == nil, "\(text)")
        }
        #expect(SizeText.text(1 << 30) == "1GiB")
        #expect(SizeText.text(1000) == "1000")
        #expect(SizeText.text(0) == "0")
    }

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
