import FocusCore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite("A member that presses without end")
    struct PressFloodTests {
        @Test(
            "starts one program at a time on another laptop, one a second at most, and the last one says the newest"
        )
        func notifications() throws {
            try World.with(["work"]) { world in
                let home = world.laptop("home")
                let programs = world.folder.file("programs")
                let shown = world.folder.file("shown")
                try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
                // Records a line if another copy of the script is running.
                let script = """
                    mkdir '\(shown).now' 2>/dev/null || echo two at once >>'\(shown)'
                    for last; do :; done
                    echo "$last" >>'\(shown)'
                    rmdir '\(shown).now'
                    """
                try writeScript(script, to: "\(programs)/notify-send", mode: 0o755)
                let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
                home.surroundings = ProgramWrapper(["/usr/bin/env", "PATH=\(programs):\(path)"])
                try home.join(try world.laptops[0].invite())
                try home.startAgent()
                let began = ContinuousClock.now
                for number in 1...40 {
                    try world.laptops[0].press("start", "Press \(number)")
                    try world.laptops[0].press("stop")
                }
                try world.laptops[0].press("start", "The last")
                try eventually("the last one is shown") { text(of: shown).contains("The last") }
                let lines = text(of: shown).split(separator: "\n")
                let seconds = (ContinuousClock.now - began).seconds
                #expect(Double(lines.count) <= seconds + 2, "\(lines.count) in \(seconds) s")
                #expect(!lines.contains("two at once"))
                #expect(lines.last?.contains("The last") == true)
            }
        }
    }
}
