import FocusNet
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("The agent")
    struct AgentTests {
        @Test("an agent ends in good order though somebody stays connected to it")
        func endingWithAVisitor() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let visitor = try #require(LocalSocket.connected(to: "\(work.home)/agent.sock"))
                defer { close(visitor) }
                try work.stopAgent()
            }
        }

        @Test(
            "an open view starts the agent of a program that took the place of its own, or says why it can't")
        func upgraded() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                let path = world.folder.file("program")
                try copyProgram(.focus, to: path)
                let terminal = try laptop.terminal()
                try terminal.shell("FOCUS_NO_AGENT=1 '\(path)' status && FOCUS_NO_AGENT= '\(path)'")
                try terminal.shows("Work (stopped)")
                try eventually("its agent runs") { try laptop.agentStatus() != nil }
                try laptop.press("agent", "stop")
                let new = world.folder.file("new")
                try copyProgram(.focus, to: new)
                try #require(rename(new, path) == 0)
                try terminal.press("Space")
                try terminal.shows("space Pause")
                try eventually("an agent runs again") { try laptop.agentStatus() != nil }
                try laptop.press("agent", "stop")
                try FileManager.default.removeItem(atPath: path)
                try terminal.press("Space")
                try terminal.shows("There is no agent, so there are no")
                #expect(try laptop.status().status == "paused")
            }
        }

        @Test("what follows ends once its reader has gone, also where that read a socket, as tmux does")
        func socketReader() throws {
            try World.with(["work"]) { world in
                var ends: [Int32] = [-1, -1]
                let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
                try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
                let bar = Process()
                bar.executableURL = URL(fileURLWithPath: Program.focus.path)
                bar.arguments = ["status", "--follow", "--bar", "tmux"]
                bar.environment = ["FOCUS_HOME": world.laptops[0].home]
                bar.standardInput = FileHandle.nullDevice
                bar.standardOutput = FileHandle(fileDescriptor: ends[1])
                try bar.run()
                close(ends[1])
                defer { if bar.isRunning { bar.terminate() } }
                var frame = [UInt8](repeating: 0, count: 200)
                #expect(read(ends[0], &frame, frame.count) > 0)
                #expect(String(decoding: frame, as: UTF8.self).contains("Stopped 25:00"))
                #expect(bar.isRunning)
                close(ends[0])
                // No change happens that would make it write.
                try eventually("the bar ends") { !bar.isRunning }
            }
        }

        @Test("a click that i3blocks tells of on standard input counts as a press")
        func clicking() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let pipe = try world.folder.shell(
                    """
                    printf '{"full_text":"Work","button":1}\\n' | \
                    FOCUS_HOME='\(work.home)' format=json '\(Program.focus.path)' status --follow --bar i3blocks | \
                    head -n 2
                    """)
                let frames = [("Stopped", "25:00", "#8C8C8C"), ("Work", "25:00", "#E44F72")].map {
                    (state, clock, colour) in
                    ##"{"full_text":"\##(state) \##(clock)","short_text":"\##(clock)","color":"\##(colour)","markup":"none"}"##
                        + "\n"
                }
                // When the phase ends depends on the time of the test.
                let output = try pipe.wait().output.replacing(/\ until \d\d:\d\d/, with: "")
                #expect(output == frames.joined())
            }
        }
    }
}
