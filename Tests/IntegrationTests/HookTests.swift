import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("Hooks and notifications")
    struct HookTests {
        /// Writes an executable script.
        private func write(_ script: String, _ path: String, mode: Int = 0o755) throws {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try writeScript(script, to: path, mode: mode)
        }

        @Test("what one laptop presses runs the other's hooks and notifies there, once")
        func others() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                let heard = "\(home.home)/heard"
                for kind in ["start", "pause", "phase-start"] {
                    try write(
                        "echo \"$FOCUS_EVENT $FOCUS_STATUS $FOCUS_LABEL $FOCUS_DEVICE\" >>'\(heard)'",
                        "\(home.home)/hooks/\(kind)")
                }
                try work.press("start", "Write")
                try eventually("the hooks have run") {
                    text(of: heard).split(separator: "\n").sorted()
                        == ["phase-start running Write work", "start running Write work"]
                }
                try home.press("pause")
                try eventually("so has that for a press of one's own") {
                    text(of: heard).contains("pause paused Write home\n")
                }
                #expect(text(of: heard).split(separator: "\n").count == 3)
            }
        }

        @Test("a hook is ended after its time though the agent that ran it was killed")
        func limit() throws {
            try World.with { world in
                let work = world.laptop("work")
                let noted = world.folder.file("noted")
                try write("echo $$ >'\(noted)'; tail -f /dev/null", "\(work.home)/hooks/start")
                work.startsAgentByItself = true
                try work.startAgent(until: .answering)
                try work.press("start")
                let hook = try waitForValue("the hook runs") { pid_t(text(of: noted).dropLast()) }
                try work.killAgent()
                #expect(kill(hook, 0) == 0)
                try eventually("the hook is ended") { kill(hook, 0) != 0 }
            }
        }
    }
}
