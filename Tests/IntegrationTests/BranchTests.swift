import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("Two machines that write as one laptop")
    struct BranchTests {
        @Test("a laptop restored from an older copy, and pressed, loses nothing")
        func restored() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                let copy = world.folder.file("work-copy")
                try work.press("start", "Work")
                try world.agree()
                try work.stopAgent()
                try copyFolder(work.home, to: copy)
                try work.startAgent()
                try work.press("label", "Before the restore")
                let before = try world.agree()

                try work.stopAgent()
                try world.server.stop()
                try copyFolder(copy, to: work.home)
                try work.press("label", "After the restore")
                try world.server.start()
                try work.startAgent()
                try world.agree()
                #expect(try work.agentStatus()?.contains("parted from the group's") == true)
                try work.press("add", "1m")
                try home.press("label", "And on")
                let log = try world.agree()
                expect(["Before the restore", "After the restore", "And on"], in: log)
                #expect(Set(log).isSuperset(of: before))
                #expect(try home.status().label == "And on")
            }
        }

        private func expect(_ labels: [String], in log: [String]) {
            for label in labels {
                #expect(log.count { $0.contains("\"text\":\"\(label)\"") } == 1, "\(label)")
            }
        }
    }
}
