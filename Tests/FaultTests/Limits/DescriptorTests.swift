import Foundation
import IntegrationSupport
import Testing

extension FaultTests {
    @Suite("A server out of file descriptors")
    struct DescriptorTests {
        @Test("who is connected goes on, and new ones get in once others leave")
        func descriptors() throws {
            try World.with(["work", "home", "late"]) { world in
                let (work, home, late) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try work.press("start", "Work")
                try world.agree()
                try late.stopAgent()

                let process = try #require(world.server.process).process
                let inUse = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
                try world.server.limit("nofile", to: inUse + 4)
                let crowd = try Crowd(40, at: world.server, sending: .nothing)
                try late.startAgent(until: nil)
                try world.expectPromptPresses(from: work, to: home, "Crowded out")
                #expect(try !late.isOnline)
                let warnings = try world.server.logLines("event=no-descriptor ")
                #expect(warnings.count == 1, "\(warnings)")
                #expect(warnings.first?.contains("level=warning") == true)
                #expect(warnings.first?.contains("limit=\(inUse + 4)") == true)
                #expect(warnings.first?.contains("LimitNOFILE") == true)
                crowd.leave()
                try eventually("late is online") { try late.isOnline }
                try world.expectPromptPresses(from: late, to: work, "In again")
                let log = try world.agree()
                #expect(try world.server.eventCount() == log.count)
            }
        }
    }
}

extension Server {
    /// Sets a limit of the running server, by its name in `prlimit`.
    func limit(_ resource: String, to value: Int) throws {
        guard let process else { throw Unmet("the server doesn't run") }
        let prlimit = Process()
        prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        prlimit.arguments = ["--pid", "\(process.process)", "--\(resource)=\(value):"]
        try prlimit.run()
        prlimit.waitUntilExit()
        guard prlimit.terminationStatus == 0 else { throw Unmet("\(resource) can't be limited") }
    }
}
