import FocusText
import IntegrationSupport
import Testing

extension LaptopTests {
    @Suite("Many commands at once")
    struct CrowdTests {
        @Test("two hundred commands at once on one laptop lose no press and write none twice")
        func crowd() throws {
            try World.with(["work", "home"]) { world in
                let work = world.laptops[0]
                try work.press("start", "Work")
                let before = try world.agree().count
                let kinds = [["add", "1s"], ["label"], ["pause"], ["resume"], ["status"]]
                let commands = try (0..<200).map { number in
                    let words = kinds[number % kinds.count]
                    return (
                        words[0], try work.start(words == ["label"] ? ["label", "press \(number)"] : words)
                    )
                }
                var done: [String: Int] = [:]
                for (name, command) in commands {
                    let outcome = try command.wait()
                    #expect([0, 3].contains(outcome.status), "\(name): \(outcome.messages)")
                    if outcome.status == 0 { done[name, default: 0] += 1 }
                }
                #expect(done["add"] == 40 && done["label"] == 40 && done["status"] == 40, "\(done)")

                let log = try world.agree()
                let events = try log.map { try JSON(parsing: $0.utf8) }
                let names = try events.map { "\(try #require($0["replica"])) \(try #require($0["seq"]))" }
                #expect(Set(names).count == log.count)
                let presses = ["add": "adjust", "label": "label", "pause": "pause", "resume": "resume"]
                for (command, action) in presses {
                    let count = events.count { $0["action"] == .string(action) }
                    #expect(count == done[command] ?? 0, "\(command)")
                }
                let written = presses.keys.reduce(0) { $0 + (done[$1] ?? 0) }
                #expect(log.count == before + written)
            }
        }
    }
}
