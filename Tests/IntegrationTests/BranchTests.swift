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

        @Test("a laptop copied onto a second machine, both pressed, loses nothing on either")
        func cloned() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Work")
                try world.agree()
                try work.stopAgent()
                let twin = world.laptop("twin")
                try copyFolder(work.home, to: twin.home)

                // Cut off, they write different events of the same names.
                try world.server.stop()
                try work.press("label", "Original")
                try twin.press("label", "Twin")
                try world.server.start()
                try work.startAgent()
                try twin.startAgent()
                try home.press("add", "1m")
                try world.agree()
                let said = try [work, twin].map { try $0.agentStatus() ?? "" }
                #expect(said.contains { $0.contains("parted from the group's") }, "\(said)")

                // Together, each goes on.
                for number in 1...3 {
                    try work.press("label", "Original \(number)")
                    try twin.press("label", "Twin \(number)")
                }
                let log = try world.agree()
                expect(["Original", "Twin"] + (1...3).flatMap { ["Original \($0)", "Twin \($0)"] }, in: log)
                #expect(try world.server.eventCount() == log.count)
            }
        }

        @Test("a copy of a laptop that hears of the original's press goes on under a new name")
        func hearingOfTheTwin() throws {
            try World.with(["work", "home"]) { world in
                let work = world.laptops[0]
                try work.press("start", "Work")
                try world.agree()
                try work.stopAgent()
                let twin = world.laptop("twin")
                try copyFolder(work.home, to: twin.home)
                try work.startAgent()
                try twin.startAgent()

                try work.press("label", "Original")
                try world.agree()
                #expect(try twin.agentStatus()?.contains("goes on under a new name") == true)
                try twin.press("label", "Twin")
                try work.press("add", "1m")
                let log = try world.agree()
                expect(["Original", "Twin"], in: log)
                let replicas = try ["Original", "Twin"].map { label in
                    try #require(log.first { $0.contains(label) }).prefix(32)
                }
                #expect(replicas[0] != replicas[1])
            }
        }

        private func expect(_ labels: [String], in log: [String]) {
            for label in labels {
                #expect(log.count { $0.contains("\"text\":\"\(label)\"") } == 1, "\(label)")
            }
        }
    }
}
