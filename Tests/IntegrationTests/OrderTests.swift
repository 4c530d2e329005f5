import IntegrationSupport
import Testing

extension IntegrationTests {
    /// Each process uses another hash seed, so sets and dictionaries have another order in each.
    @Suite("What commands list")
    struct OrderTests {
        private static let onLaptop = [
            ["devices", "--json"], ["status", "--json"], ["set", "--json"],
            ["log", "--json", "--from", "2025"],
            ["stats", "--json", "--from", "2025"], ["export"], ["export", "--format", "csv"],
            ["export", "--format", "ics"], ["export", "--format", "timewarrior"],
        ]
        private static let onServer = [
            ["groups", "--json"], ["devices", "--json"], ["status", "--json"], ["config", "--json"],
            ["verify"],
        ]

        @Test("comes in the same order from each process")
        func order() throws {
            try World.with(["desk"]) { world in
                let desk = world.laptops[0]
                for name in ["anna", "ben", "cleo", "dora", "emil"] {
                    try world.laptop(name).join(desk.invite())
                }
                for name in ["one", "two", "three", "four"] {
                    try world.laptop(name).join(world.server.invite())
                }
                let labels = [
                    "Write #draft +book", "Read #book", "Call #office +money", "Mail #office", "Plan",
                ]
                for (hour, label) in labels.enumerated() {
                    try desk.press("log", "add", label, "--from", "2025-11-20 1\(hour):00", "--for", "30m")
                }
                try desk.press("sync")
                // From now on no event of the others arrives.
                try desk.stopAgent()
                try eventually("the server has stored what each laptop runs") {
                    try !world.server.runSuccessfully(["devices", "--json"]).output.contains(
                        #""program":null"#)
                }
                // Between two processes, instants change, the sign of the clock's offset, and who is connected.
                func lists(_ list: () throws -> String) throws {
                    func answer() throws -> String {
                        try list().replacing(/-?[0-9]+|true|false|null/, with: "0")
                    }
                    let first = try answer()
                    for _ in 1...3 {
                        let next = try answer()
                        #expect(next == first)
                    }
                }
                for command in OrderTests.onLaptop { try lists { try desk.press(command) } }
                for command in OrderTests.onServer {
                    try lists { try world.server.runSuccessfully(command).output }
                }
            }
        }
    }
}
