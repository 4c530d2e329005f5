import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("An open view whose program was upgraded")
    struct UpgradedProgramTests {
        /// Opens the view of a copy of the program at `path`, which starts its agent by itself.
        private func view(of laptop: Laptop, _ path: String) throws -> TerminalSession {
            try copyProgram(.focus, to: path)
            let terminal = try laptop.terminal()
            try terminal.shell("FOCUS_NO_AGENT=1 '\(path)' status && FOCUS_NO_AGENT= '\(path)'")
            try terminal.shows("Work (stopped)")
            try eventually("its agent runs") { try laptop.agentStatus() != nil }
            try laptop.press("agent", "stop")
            return terminal
        }

        @Test("starts the agent that has come to the program's place")
        func upgraded() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                let path = world.folder.file("program")
                let terminal = try view(of: laptop, path)
                let new = world.folder.file("new")
                try copyProgram(.focus, to: new)
                try #require(rename(new, path) == 0)
                try terminal.press("Space")
                try terminal.shows("space Pause")
                try eventually("an agent runs again") { try laptop.agentStatus() != nil }
            }
        }

        @Test("says why the agent can't be started where no program is left")
        func removed() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                let path = world.folder.file("program")
                let terminal = try view(of: laptop, path)
                try FileManager.default.removeItem(atPath: path)
                try terminal.press("Space")
                try terminal.shows("There is no agent, so there are no")
                #expect(try laptop.status().status == "running")
            }
        }
    }
}
