import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("The icon in the tray of a real bus")
    struct TrayTests {
        /// A desktop: a session's bus, and a panel that comes and goes (`Tests/Tray/panel.py`).
        private final class Desktop {
            private let folder: TemporaryFolder
            private let bus: RunningProgram
            private var panel: RunningProgram?
            let address: String

            init(_ world: World) throws {
                folder = world.folder
                address = "unix:path=\(folder.file("bus"))"
                bus = try Program(path: "/usr/bin/dbus-daemon").start(
                    ["--session", "--nofork", "--nopidfile", "--nosyslog", "--address=\(address)"],
                    ["HOME": folder.path], in: folder, log: folder.fresh("bus"))
                try eventually("the bus listens") { [folder] in access(folder.file("bus"), F_OK) == 0 }
            }

            private func start(_ words: [String]) throws -> RunningProgram {
                let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent().appendingPathComponent("Tray/panel.py").path
                return try Program(path: "/usr/bin/python3").start(
                    [script] + words, ["HOME": folder.path, "DBUS_SESSION_BUS_ADDRESS": address], in: folder,
                    log: folder.fresh("panel"))
            }

            func startPanel() throws {
                let panel = try start(["watch"])
                self.panel = panel
                try eventually("the panel has a tray") { panel.output.hasPrefix("watching\n") }
            }

            func killPanel() throws {
                try panel?.kill()
                panel = nil
            }

            /// The signals of the icon that the present panel got, and `registered` and `removed`.
            var heard: String { panel?.output ?? "" }

            @discardableResult
            func ask(_ words: String...) throws -> String {
                let outcome = try start(words).wait()
                guard outcome.status == 0 else { throw Unmet("panel.py \(words): \(outcome.messages)") }
                return outcome.output
            }

            /// The texts of the menu's lines, with their ids.
            func menu() throws -> [(text: String, id: String, isEnabled: Bool)] {
                try ask("menu").split(separator: "\n").compactMap { line in
                    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
                    return parts.count == 3 ? (parts[2], parts[0], parts[1] == "on") : nil
                }
            }

            func id(of text: String) throws -> String {
                try #require(try menu().first { $0.text == text }?.id)
            }
        }

        /// Starts a laptop's agent on the desktop's bus.
        private func start(_ laptop: Laptop, on desktop: Desktop, _ variables: [String] = []) throws {
            let bus = ["DBUS_SESSION_BUS_ADDRESS=\(desktop.address)"]
            laptop.wrapper = ProgramWrapper(["/usr/bin/env"] + bus + variables)
            try laptop.press("set", "notifications=off")
            try laptop.startAgent(until: .answering)
        }

        @Test("it comes when it is switched on and a panel is there, again with each panel, and goes")
        func panels() throws {
            try World.with { world in
                let (laptop, desktop) = (world.laptop("work"), try Desktop(world))
                try start(laptop, on: desktop)
                try laptop.press("set", "tray=on")
                try desktop.startPanel()
                try eventually("the panel has the icon") { desktop.heard.contains("registered") }
                #expect(try desktop.ask("items").contains("org.kde.StatusNotifierItem-"))
                try desktop.killPanel()
                try desktop.startPanel()
                try eventually("so has another panel") { desktop.heard.contains("registered") }
                try laptop.press("set", "tray=off")
                try eventually("the icon has gone") { desktop.heard.contains("removed") }
                try laptop.press("set", "tray=on")
                try eventually("and comes back") {
                    desktop.heard.components(separatedBy: "registered").count == 3
                }
                try laptop.stopAgent()
                try eventually("it goes with the agent") { try desktop.ask("items") == "\n" }
            }
        }

        @Test("its menu has what is possible, and a click there is a press on the timer that the menu showed")
        func menu() throws {
            try World.with { world in
                let (laptop, desktop) = (world.laptop("work"), try Desktop(world))
                try laptop.press("set", "tray=on")
                try start(laptop, on: desktop)
                try desktop.startPanel()
                try eventually("the panel has the icon") { desktop.heard.contains("registered") }
                let stopped = ["No session", "Start", "Break", "Open the page"]
                #expect(try desktop.menu().map(\.text) == stopped)
                #expect(try desktop.ask("tooltip") == "No session|\n")
                try desktop.ask("click", try desktop.id(of: "Start"))
                #expect(try laptop.status().status == "running")
                try laptop.press("label", "A & B")
                try eventually("the tooltip has the label") {
                    try desktop.ask("tooltip") == "Work, 25 min left|A &amp; B\n"
                }
                let presses = [
                    "Pause", "Skip", "Done", "Break", "+5 min", "Stop", "Undo the label 'A & B'",
                    "Open the page",
                ]
                let shown = try desktop.menu()
                #expect(shown.map(\.text) == ["Work, 25 min left"] + presses)
                #expect(shown.map(\.isEnabled) == [false] + presses.map { _ in true })

                try desktop.ask("click", try desktop.id(of: "+5 min"))
                #expect(try laptop.status().addedMs == 300_000)
                let old = try desktop.id(of: "Pause")
                try laptop.press("pause")
                try eventually("the panel is told") { try desktop.menu().contains { $0.text == "Resume" } }
                try waitUntilPressesAreAccepted()
                try desktop.ask("click", old)
                #expect(try laptop.status().status == "paused", "the click was meant for the running timer")
                try desktop.ask("middle")
                #expect(try laptop.status().status == "running")
                for signal in ["NewIcon", "NewToolTip", "LayoutUpdated"] {
                    #expect(desktop.heard.contains(signal), "\(signal)")
                }
                #expect(throws: Unmet.self) { try desktop.ask("click", "31") }
            }
        }

        @Test(
            "its pictures are a ring of three sizes, and a click opens the page without leaving its key behind"
        )
        func click() throws {
            try World.with { world in
                let (laptop, desktop) = (world.laptop("work"), try Desktop(world))
                let opened = world.folder.file("opened")
                let programs = world.folder.file("programs")
                try FileManager.default.createDirectory(
                    atPath: programs, withIntermediateDirectories: true)
                try writeScript("echo \"$1\" >'\(opened)'", to: "\(programs)/xdg-open", mode: 0o755)
                try laptop.press("set", "tray=on")
                try laptop.press("start")
                try start(laptop, on: desktop, ["PATH=\(programs):/usr/bin:/bin", "BROWSER=any"])
                try desktop.startPanel()
                try eventually("the panel has the icon") { desktop.heard.contains("registered") }
                let pictures = try desktop.ask("icon").split(separator: "\n").map { $0.split(separator: " ") }
                #expect(pictures.map { $0.first } == ["22x22", "32x32", "48x48"])
                #expect(pictures.allSatisfy { (Int($0.last ?? "") ?? 0) > 100 }, "the whole ring is left")
                try desktop.ask("activate")
                try eventually("the browser is asked for the page") { text(of: opened).hasSuffix("\n") }
                let link = text(of: opened)
                #expect(link.hasPrefix("http://127.0.0.1:"))
                let key = try #require(link.split(separator: "=").last?.dropLast())
                #expect(!text(of: laptop.agentLog).contains(key))
            }
        }
    }
}
