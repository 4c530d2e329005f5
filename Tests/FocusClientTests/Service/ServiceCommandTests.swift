import ClientSupport
import CommandLineKit
import Foundation
import Synchronization
import Testing

@testable import FocusClient
@testable import SystemKit

@Suite("focus agent install")
struct ServiceCommandTests {
    private let home = TemporaryHome()
    private let calls = Calls()

    /// The programs that were called, and the results of their runs.
    private final class Calls: Sendable {
        private let made = Mutex<[String]>([])
        private let ends = Mutex<[String: ProgramResult]>([:])

        var words: [String] {
            made.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }

        func fail(_ words: String, saying text: String) {
            ends.withLock { $0[words] = ProgramResult(status: 1, text: text) }
        }

        func programs(_ manager: AgentService.Manager) -> SystemPrograms {
            SystemPrograms(manager: manager, programPath: { "/opt/my apps/focus" }) {
                words throws(SystemError) in
                let words = words.joined(separator: " ")
                self.made.withLock { $0.append(words) }
                return self.ends.withLock { $0[words] } ?? ProgramResult(status: 0, text: "")
            }
        }
    }

    private func laptop(
        _ manager: AgentService.Manager = .systemd, _ variables: [String: String] = [:]
    ) -> TestContext {
        TestContext(
            environment: ["HOME": home.path].merging(variables) { $1 }, programs: calls.programs(manager))
    }

    private var unit: String { "\(home.path)/.config/systemd/user/focus-agent.service" }

    private func contents(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("the unit equals deploy/focus-agent.service")
    func template() throws {
        var root = URL(fileURLWithPath: #filePath)
        while root.lastPathComponent != "Tests" { root.deleteLastPathComponent() }
        let file = root.deletingLastPathComponent().appendingPathComponent("deploy/focus-agent.service")
        #expect(try contents(file.path) == AgentUnit(program: "/usr/local/bin/focus").text)
    }

    @Test("systemd is given the unit, and runs the agent")
    func systemd() throws {
        #expect(
            laptop().run("agent install")
                == .init(
                    status: .done,
                    output: """
                        Wrote \(unit).
                        The agent runs now, and from each login on. To undo that: focus agent install --uninstall

                        """, messages: ""))
        #expect(
            calls.words == [
                "systemctl --user show-environment", "systemctl --user daemon-reload",
                "systemctl --user enable focus-agent.service", "systemctl --user restart focus-agent.service",
            ])
        let text = try contents(unit)
        #expect(text.contains("\nExecStart=\"/opt/my apps/focus\" agent run\n"))
        #expect(!text.contains("Environment="))
        // A second install writes the unit again.
        let configuration = "\(home.path)/.config"
        let variables = ["XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": configuration, "XDG_STATE_HOME": "/s"]
        #expect(laptop(.systemd, variables).run("agent install").status == .done)
        #expect(
            try contents(unit).contains(
                "\nEnvironment=XDG_DATA_HOME=/d\nEnvironment=XDG_CONFIG_HOME=\(configuration)\n"))
    }

    @Test("an installed service can be uninstalled")
    func uninstalling() throws {
        _ = laptop().run("agent install")
        _ = calls.words
        #expect(laptop().run("agent install --uninstall").status == .done)
        #expect(
            calls.words == [
                "systemctl --user show-environment", "systemctl --user disable --now focus-agent.service",
                "systemctl --user daemon-reload",
            ])
        #expect(!FileManager.default.fileExists(atPath: unit))
        let again = laptop().run("agent install --uninstall")
        #expect(again.status == .notNow)
        #expect(again.messages == "focus: Nothing is installed: there is no \(unit).\n")
    }

    @Test("FOCUS_HOME is in the unit, quoted for systemd")
    func folder() throws {
        let folder = "/data/50% of \"it\"\\"
        #expect(
            laptop(.systemd, ["FOCUS_HOME": folder, "XDG_DATA_HOME": "/d"]).run("agent install").status
                == .done)
        let text = try contents(unit)
        #expect(text.contains("\nEnvironment=\"FOCUS_HOME=/data/50%% of \\\"it\\\"\\\\\"\n"))
        #expect(!text.contains("XDG_DATA_HOME"))
    }

    @Test(
        "a path that can't be in a service file is refused, and nothing is written",
        arguments: ["here", "/a$b", "/a\nb"])
    func paths(folder: String) {
        let result = laptop(.systemd, ["FOCUS_HOME": folder]).run("agent install")
        #expect(result.status == .failed)
        #expect(calls.words == [])
        #expect(!FileManager.default.fileExists(atPath: unit))
    }

    @Test("without systemd nothing is written, and the message names an alternative")
    func withoutSystemd() {
        let result = TestContext(environment: ["HOME": home.path]).run("agent install")
        #expect(result.status == .failed)
        #expect(
            result.messages == """
                focus: There is no systemd here, so nothing was installed (systemctl can't be started: No such file \
                or directory). Commands start the agent by themselves. To start it at each login, have your session \
                run: /usr/local/bin/focus agent run

                """)
        #expect(home.files == [])
    }

    @Test("if systemd can't be reached, the unit is written and the message says how to enable it")
    func withoutSession() throws {
        calls.fail("systemctl --user show-environment", saying: "Failed to connect to bus: No medium found\n")
        let result = laptop().run("agent install")
        #expect(result.status == .failed)
        #expect(
            result.messages == """
                focus: \(unit) is written, but systemd can't be reached for this user, so it isn't enabled: Failed to \
                connect to bus: No medium found. To enable it, run this in a session of yours: systemctl --user enable --now \
                focus-agent.service. Until then commands start the agent by themselves. To undo it: focus agent \
                install --uninstall

                """)
        #expect(FileManager.default.fileExists(atPath: unit))
        #expect(laptop().run("agent install --uninstall").status == .done)
        #expect(calls.words == Array(repeating: "systemctl --user show-environment", count: 2))
    }

    @Test("a failed step is named with its output")
    func failing() {
        calls.fail("systemctl --user enable focus-agent.service", saying: "Unit is masked.\n")
        let result = laptop().run("agent install")
        #expect(result.status == .failed)
        #expect(
            result.messages
                == "focus: \(unit) is written, but 'systemctl --user enable focus-agent.service' failed: Unit is masked.\n"
        )
    }

    @Test("a unit file that focus didn't write is left unchanged")
    func foreign() throws {
        try FileManager.default.createDirectory(
            atPath: "\(home.path)/.config/systemd/user", withIntermediateDirectories: true)
        try "mine".write(toFile: unit, atomically: true, encoding: .utf8)
        for words in ["agent install", "agent install --uninstall"] {
            let result = laptop().run(words)
            #expect(result.status == .failed)
            #expect(result.messages.contains("was not written by 'focus agent install'"))
            #expect(try contents(unit) == "mine")
        }
    }

    @Test("launchd loads the property list after an earlier agent and service were stopped")
    func launchd() throws {
        let path = "\(home.path)/Library/LaunchAgents/org.lockstep.focus-agent.plist"
        calls.fail("launchctl bootout gui/501/org.lockstep.focus-agent", saying: "No such process")
        calls.fail("/opt/my apps/focus agent stop", saying: "The agent isn't running.")
        #expect(laptop(.launchd(user: 501), ["FOCUS_HOME": "/a&b"]).run("agent install").status == .done)
        #expect(
            calls.words == [
                "launchctl print gui/501", "/opt/my apps/focus agent stop",
                "launchctl bootout gui/501/org.lockstep.focus-agent", "launchctl bootstrap gui/501 \(path)",
            ])
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let list = try #require(
            PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(list["ProgramArguments"] as? [String] == ["/opt/my apps/focus", "agent", "run"])
        #expect(list["EnvironmentVariables"] as? [String: String] == ["FOCUS_HOME": "/a&b"])
        #expect(list["StandardErrorPath"] as? String == "/a&b/agent.log")
        #expect(list["Umask"] as? Int == 0o077)
        #expect(list["RunAtLoad"] as? Bool == true)
    }
}
