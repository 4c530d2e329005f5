import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("Notifications on the desktop's bus")
    struct NotificationTests {
        /// A bus of its own, and a program on it that stands in for the desktop's.
        private final class Desktop {
            let address: String
            private let folder: TemporaryFolder
            private let bus: RunningProgram
            private var program: RunningProgram?
            /// The program's log of the calls that it got.
            private(set) var log = ""

            init(in folder: TemporaryFolder) throws {
                self.folder = folder
                let path = folder.file("session-bus")
                address = "unix:path=\(path)"
                bus = try Program(path: "/usr/bin/dbus-daemon").start(
                    ["--session", "--nofork", "--address=\(address)"], [:], in: folder,
                    log: folder.fresh("messages"))
                try eventually("the bus runs") { FileManager.default.fileExists(atPath: path) }
            }

            /// Starts the program that shows notifications, with these abilities.
            func show(with abilities: String) throws {
                log = folder.fresh("calls")
                program = try python(
                    [
                        "-m", "dbusmock", "--session", "--template", "notification_daemon", "--logfile", log,
                        "--parameters", "{\"capabilities\": \"\(abilities)\"}",
                    ])
                try eventually("the program is on the bus") {
                    try ask("print(bus.name_has_owner('org.freedesktop.Notifications'))") == "True\n"
                }
            }

            func kill() throws {
                try program?.kill()
                program = nil
            }

            /// Presses the button of a notification.
            func press(_ button: String, of number: Int) throws {
                let name = "org.freedesktop.Notifications"
                _ = try ask(
                    """
                    shown = bus.get_object('\(name)', '/org/freedesktop/Notifications')
                    mock = dbus.Interface(shown, 'org.freedesktop.DBus.Mock')
                    mock.EmitSignal('\(name)', 'ActionInvoked', 'us', [dbus.UInt32(\(number)), '\(button)'])
                    """)
            }

            private func ask(_ script: String) throws -> String {
                try python(["-c", "import dbus\nbus = dbus.SessionBus()\n\(script)"]).wait().output
            }

            private func python(_ words: [String]) throws -> RunningProgram {
                try Program(path: "/usr/bin/python3").start(
                    words, ["DBUS_SESSION_BUS_ADDRESS": address], in: folder, log: folder.fresh("messages"))
            }

            /// The calls of a method that the program got.
            func calls(_ member: String) -> [String] {
                IntegrationSupport.text(of: log).split(separator: "\n").map(String.init)
                    .filter { $0.contains(" \(member) ") }
            }
        }

        /// A laptop with an agent on the desktop, and with short work.
        private func laptop(_ world: World, _ desktop: Desktop) throws -> Laptop {
            let laptop = world.laptop("work")
            let programs = "\(laptop.home)-programs"
            try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
            try writeScript("echo \"$*\" >>'\(laptop.home)/sent'", to: "\(programs)/notify-send")
            laptop.wrapper = ProgramWrapper([
                "/usr/bin/env", "DBUS_SESSION_BUS_ADDRESS=\(desktop.address)",
                "PATH=\(programs):/usr/bin:/bin",
            ])
            try laptop.press("set", "workLength=3s", "autoStartBreaks=off")
            try laptop.startAgent(until: .answering)
            return laptop
        }

        @Test("a button starts the break, and a change elsewhere removes the notification")
        func buttons() throws {
            try World.with { world in
                let desktop = try Desktop(in: world.folder)
                try desktop.show(with: "actions body body-markup")
                let laptop = try laptop(world, desktop)
                #expect(try laptop.run("doctor").output.contains("shown by mock-notify, with buttons."))
                try laptop.press("start", "Write")
                try eventually("work's end is shown") { desktop.calls("Notify").count == 1 }
                let shown = ContinuousClock.now
                let call = try #require(desktop.calls("Notify").first)
                for part in [
                    "\"Lockstep\" 0 \"lockstep\" \"Work is over\"", "[\"start-break\", \"Start break\"",
                    "\"desktop-entry\": \"lockstep\"",
                ] { #expect(call.contains(part), "\(call)") }
                // A press within a second would be meant for the screen before.
                try eventually("a second has passed") { ContinuousClock.now - shown > .milliseconds(1100) }
                try desktop.press("skip", of: 17)
                try desktop.press("start-break", of: 1)
                try eventually("the break runs") { try laptop.status().status == "running" }
                try laptop.press("stop")
                try laptop.press("start")
                try eventually("work's end is shown again") { desktop.calls("Notify").count == 2 }
                try laptop.press("stop")
                try eventually("it is removed") { !desktop.calls("CloseNotification").isEmpty }
            }
        }

        @Test(
            "without buttons it is shown plainly; if the program dies, notify-send shows it; a new one is used"
        )
        func death() throws {
            try World.with { world in
                let desktop = try Desktop(in: world.folder)
                try desktop.show(with: "body")
                let laptop = try laptop(world, desktop)
                func end() throws {
                    try laptop.press("stop")
                    try laptop.press("start")
                }
                try laptop.press("start")
                try eventually("it is shown") { desktop.calls("Notify").count == 1 }
                #expect(desktop.calls("Notify").first?.contains("\"Work is over\" \"Short break") == true)
                #expect(desktop.calls("Notify").first?.contains(" [] {") == true)
                try desktop.kill()
                try end()
                try eventually("notify-send shows it") {
                    text(of: "\(laptop.home)/sent").contains("-- Work is over")
                }
                try desktop.show(with: "actions body")
                try end()
                try eventually("the new program shows it") { desktop.calls("Notify").count == 1 }
                #expect(desktop.calls("Notify").first?.contains("start-break") == true)
            }
        }

        @Test("'focus notify --test' says which parts work")
        func trial() throws {
            try World.with { world in
                let desktop = try Desktop(in: world.folder)
                let laptop = try laptop(world, desktop)
                let plain = try laptop.press("notify", "--test")
                #expect(plain.contains("notify-send has shown the notification."), "\(plain)")
                try desktop.show(with: "actions body sound")
                let trial = try laptop.start(["notify", "--test"])
                try eventually("it is shown") { desktop.calls("Notify").count == 1 }
                try desktop.press("skip", of: 1)
                let outcome = try trial.wait()
                #expect(outcome.output.contains("its button 'Skip' works"), "\(outcome.output)")
                #expect(outcome.output.contains("The desktop plays the sound."))
                #expect(try laptop.run("notify").status == 2)
            }
        }
    }
}
