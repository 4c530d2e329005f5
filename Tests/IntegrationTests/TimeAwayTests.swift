import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    /// With a message bus and a login manager of their own (Debian's python3-dbusmock).
    @Suite("Time away, as the login manager tells it")
    struct TimeAwayTests {
        /// A message bus with a login manager that has one session of this user.
        private struct LoginManager {
            let address: String
            private let programs: [RunningProgram]
            private let folder: TemporaryFolder

            init(in folder: TemporaryFolder) throws {
                self.folder = folder
                let bus = try Program(path: "/usr/bin/dbus-daemon").start(
                    ["--session", "--nofork", "--nopidfile", "--print-address"], [:], in: folder,
                    log: folder.file("bus.log"))
                let address = try waitForValue("the bus tells its address") {
                    bus.output.split(separator: "\n").first.map(String.init)
                }
                let manager = try Program(path: "/usr/bin/python3").start(
                    ["-m", "dbusmock", "--system", "--template", "logind"],
                    ["DBUS_SYSTEM_BUS_ADDRESS": address], in: folder, log: folder.file("logind.log"))
                self.address = address
                programs = [bus, manager]
                try eventually("the login manager has a session") {
                    try call(
                        "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.AddSession", "string:c1",
                        "string:seat0", "uint32:\(getuid())", "string:me", "boolean:true")
                }
            }

            /// Calls a method; returns false if that fails.
            private func call(_ path: String, _ words: String...) throws -> Bool {
                let destination = [
                    "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.login1", path,
                ]
                return try Program(path: "/usr/bin/dbus-send").start(
                    destination + words, [:], in: folder, log: folder.fresh("messages")
                ).wait().status == 0
            }

            /// Changes a property of the session.
            func set(_ property: String, _ value: String) throws {
                let isSet = try call(
                    "/org/freedesktop/login1/session/c1", "org.freedesktop.DBus.Properties.Set",
                    "string:org.freedesktop.login1.Session", "string:\(property)", "variant:\(value)")
                if !isSet { throw Unmet("\(property) can't be set") }
            }
        }

        /// Adds a laptop with programs that know the login manager and, by its variable, a desktop.
        private func laptop(_ manager: LoginManager, in world: World) -> Laptop {
            let work = world.laptop("work")
            work.wrapper = ProgramWrapper([
                "/usr/bin/env", "DBUS_SYSTEM_BUS_ADDRESS=\(manager.address)", "WAYLAND_DISPLAY=none",
            ])
            return work
        }

        @Test("a session that was idle is asked about once it isn't any more, though the agent was killed")
        func idle() throws {
            try World.with { world in
                let manager = try LoginManager(in: world.folder)
                let work = laptop(manager, in: world)
                try work.press("start", "Write", "--ago", "20m")
                try manager.set("IdleSinceHint", "uint64:\((wallClock() - 12 * 60_000) * 1000)")
                try manager.set("IdleHint", "boolean:true")
                try work.startAgent(until: .answering)
                try eventually("the agent knows the session") {
                    try work.run("doctor", "--json").output.contains("from the login manager (logind).")
                }
                #expect(try !work.press("idle").contains("(12m)"), "it asks only on return")
                try work.killAgent()
                try manager.set("IdleHint", "boolean:false")
                try work.startAgent(until: .answering)
                try eventually("the agent asks") { try work.press("idle").contains("(12m)") }
                try work.press("idle", "drop")
                // Of 25 minutes 8 were worked before the absence. The test may take a while.
                let left = try work.status().remainingMs
                #expect((15 * 60_000...17 * 60_000).contains(left), "\(left)")
                #expect(try work.press("idle").hasPrefix("Nothing is asked"))
            }
        }

        @Test("an agent goes on if the bus ends")
        func lost() throws {
            try World.with { world in
                let work: Laptop
                do {
                    let manager = try LoginManager(in: world.folder)
                    work = laptop(manager, in: world)
                    try work.startAgent(until: .answering)
                    try eventually("the agent knows the session") {
                        try work.run("doctor", "--json").output.contains("from the login manager (logind).")
                    }
                }
                try eventually("the agent knows that nothing tells it any more") {
                    try work.run("doctor", "--json").output.contains("the desktop doesn't tell.")
                }
                try work.press("start")
                try work.stopAgent()
            }
        }
    }
}
