import Foundation
import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Doctor")
    struct DoctorTests {
        /// The verdicts of `focus doctor --json` on a laptop, by subject, without the machine's disk and
        /// desktop.
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

        @Test("on a laptop that is well there is nothing to mend; what is wrong is found, and nothing else")
        func findings() throws {
            try World.with(["work", "home"]) { world in
                let work = world.laptops[0]
                try work.press("start", "Work")
                try world.agree()
                let fine = ["files", "log", "keys", "group", "server", "clock", "pending", "agent"]
                #expect(try verdicts(work) == Dictionary(uniqueKeysWithValues: fine.map { ($0, "fine") }))

                try world.server.kill()
                let cutOff = try verdicts(work)
                #expect(cutOff["server"] == "wrong")
                #expect(cutOff["agent"] == "note")
                #expect(cutOff["log"] == "fine")
            }
        }
    }
}
