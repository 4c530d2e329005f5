import Foundation
import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Doctor")
    struct DoctorTests {
        /// What `focus doctor --json` says on a laptop, by subject, less the machine's own disk and desktop.
        private func verdicts(_ laptop: Laptop) throws -> [String: String] {
            let outcome = try laptop.run("doctor", "--json")
            let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
            #expect(outcome.status == (report.wrong == 0 ? 0 : 1))
            return report.findings.filter { !["disk", "notifications"].contains($0.subject) }
                .reduce(into: [:]) { $0[$1.subject] = $1.verdict }
        }

        private struct Report: Decodable {
            let wrong: Int
            let findings: [Finding]
        }

        private struct Finding: Decodable {
            let subject: String
            let verdict: String
        }

        private static let fine = Dictionary(
            uniqueKeysWithValues: ["files", "log", "keys", "group", "server", "clock", "pending", "agent"].map
            {
                ($0, "fine")
            })

        @Test("on a laptop that is well there is nothing to mend; what is wrong is found, and nothing else")
        func findings() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Work")
                try world.agree()
                #expect(try verdicts(work) == Self.fine)

                try world.server.kill()
                let cutOff = try verdicts(work)
                #expect(cutOff["server"] == "wrong")
                #expect(cutOff["agent"] == "note")
                #expect(cutOff["log"] == "fine")
                try world.server.start()
                for laptop in [work, home] {
                    try eventually("\(laptop.name) is online") { try laptop.isOnline }
                }
                #expect(try verdicts(work) == Self.fine)
            }
        }

        @Test("a laptop whose key is gone makes itself no other; it says so until it has left its group")
        func lostKey() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                let key = "\(home.home)/identity.pem"
                try home.stopAgent()
                try FileManager.default.removeItem(atPath: key)
                let unsynced = try home.run("sync")
                #expect(unsynced.status == 1)
                #expect(
                    unsynced.messages.contains("identity.pem is gone: this laptop can't prove who it is."))
                try home.beginAgent()
                try eventually("the agent has tried") {
                    try home.agentStatus()?.contains("identity.pem is gone") == true
                }
                #expect(!FileManager.default.fileExists(atPath: key))
                let found = try verdicts(home)
                #expect(found["keys"] == "wrong" && found["server"] == "note")
                try home.press("leave", "--yes")
                try home.join(work.invite())
                #expect(try verdicts(home)["keys"] == "fine")
                try world.agree()
            }
        }

        @Test("a laptop that was shut out is told so")
        func revoked() throws {
            try World.with(["work", "stolen"]) { world in
                try world.laptops[0].press("devices", "revoke", "stolen", "--yes")
                let outcome = try world.laptops[1].run("doctor")
                #expect(outcome.status == 1)
                #expect(outcome.output.contains("WRONG  This laptop was removed from its group."))
            }
        }

        @Test("a server that shows another key is not taken for the group's")
        func otherServer() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                try work.stopAgent()
                try world.server.kill()
                try FileManager.default.removeItem(atPath: "\(world.server.data)/identity.pem")
                try world.server.setUp()
                try world.server.start()
                let outcome = try work.run("doctor")
                #expect(outcome.status == 1)
                #expect(outcome.output.contains("shows another key"))
            }
        }
    }
}
