import FocusCore
import FocusNet

/// The reconnection of many laptops to a server that restarts: the spread of their arrivals, whether
/// acknowledged events survive, and whether presses made meanwhile arrive. The agents are the real ones, all
/// in this process.
enum RestartBenchmark {
    static let groups = 100

    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer()
        var homes: [String] = []
        for group in 0..<groups {
            let pair = ["one", "other"].map { "\(scratch.path)/\($0)-\(group)" }
            let serverInvite = try scratch.serverInvite()
            try programs.run(programs.focus, ["join", serverInvite], home: pair[0], startsAgent: false)
            let invite = try programs.run(programs.focus, ["invite"], home: pair[0], startsAgent: false)
            try programs.run(
                programs.focus, ["join", Scratch.lastLine(invite)], home: pair[1], startsAgent: false)
            homes += pair
        }
        let fleet = try Fleet(homes)
        defer { fleet.end() }
        try fleet.wait("all are connected") { $0.isConnected }

        // Every second laptop presses. `stopServer` tells the server to stop in the middle of these presses.
        let stopBegan = ContinuousClock.now
        fleet.press(.start(label: "before"), onEven: true)
        scratch.stopServer()
        let stopEnded = ContinuousClock.now
        let acknowledged = try fleet.sum { try $0.acknowledgedOwnEvents() }
        let kept = try events(scratch, programs)
        guard kept >= acknowledged else {
            throw Programs.Failed(description: "of \(acknowledged) acknowledged events \(kept) are left")
        }
        fleet.press(.set(.workLength, 1_800), onEven: false)
        try fleet.wait("all have noticed") { !$0.isConnected }
        fleet.forgetArrivals()
        try scratch.serve()
        let ready = ContinuousClock.now
        try fleet.wait("all are back and have everything") { try $0.isConnected && $0.hasNothingPending() }
        let all = try fleet.sum { try $0.ownEvents() }
        guard try events(scratch, programs) == all else {
            throw Programs.Failed(description: "the server hasn't all \(all) events")
        }

        let arrivals = fleet.arrivals.map { ($0 - stopBegan).seconds }.sorted()
        let busiest = arrivals.map { first in arrivals.count { $0 >= first && $0 < first + 0.1 } }.max() ?? 0
        report.note(
            "\(homes.count) laptops' agents, and a server that is told to stop while they press, and started again"
        )
        report.figure("the server's end", (stopEnded - stopBegan).seconds * 1e3, unit: "ms")
        report.figure("told to stop until ready again", (ready - stopBegan).seconds * 1e3, unit: "ms")
        report.figure("told to stop until the first is back", arrivals.first ?? 0, unit: "s")
        report.figure("told to stop until half are back", median(arrivals), unit: "s")
        report.figure("told to stop until the last is back", arrivals.last ?? 0, unit: "s")
        report.figure("most that came back within 0.1 s", Double(busiest), unit: "laptops", goal: .atMost(20))
        report.figure("events acknowledged before", Double(acknowledged), unit: "events, all kept")
        report.figure(
            "events in the end", Double(all), unit: "events, on the server and both laptops of each group")
    }

    private static func events(_ scratch: Scratch, _ programs: Programs) throws -> Int {
        let listed = try programs.run(programs.focusd, ["status", "--data", scratch.serverData])
        guard let range = listed.firstRange(of: /Events: ([0-9]+)/) else {
            throw Programs.Failed(description: "focusd says: \(listed)")
        }
        return Int(listed[range].dropFirst("Events: ".count)) ?? 0
    }
}
