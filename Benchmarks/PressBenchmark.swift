import FocusAgent
import FocusClient
import FocusCore
import FocusDevice
import FocusStore
import SystemKit

/// How long a press takes to show on another connected laptop: durable here, durable on the server, shown there.
enum PressBenchmark {
    static let presses = 300

    static func run(_ report: inout Report, _ programs: Programs) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer()
        let homes = ["\(scratch.path)/work", "\(scratch.path)/home"]
        try programs.run(programs.focus, ["join", try scratch.serverInvite()], home: homes[0])
        let invite = Scratch.lastLine(try programs.run(programs.focus, ["invite"], home: homes[0]))
        try programs.run(programs.focus, ["join", invite], home: homes[1])
        try programs.run(programs.focus, ["start"], home: homes[0])
        defer { for home in homes { _ = try? programs.run(programs.focus, ["agent", "stop"], home: home) } }
        let laptops = try homes.map { try BenchedLaptop(home: $0) }
        try laptops[1].waitUntil { try $0.isRunning }

        var times: [Double] = []
        for press in 0..<presses {
            let isRunning = press % 2 == 1
            let began = ContinuousClock.now
            try laptops[0].press(isRunning ? .resume : .pause)
            try laptops[1].waitUntil { try $0.isRunning == isRunning }
            times.append((ContinuousClock.now - began).seconds)
        }
        let sorted = times.sorted()
        report.note(
            "a press on one laptop to its showing on another, \(presses) presses, real agents and server")
        report.figure("press to showing, median", median(times) * 1e3, unit: "ms", goal: .atMost(2))
        report.figure("press to showing, 99 of 100", sorted[sorted.count * 99 / 100] * 1e3, unit: "ms")
    }
}

extension Machine {
    /// This machine, with the laptop's files in a folder of their own.
    init(home: String) {
        let process = Machine.process
        self.init(
            environment: Environment(["FOCUS_HOME": home]), clocks: process.clocks,
            hostName: process.hostName, makeReplica: process.makeReplica)
    }
}

/// One laptop with a running agent, pressed and looked at as the commands do, less the start of their processes.
final class BenchedLaptop {
    private let device: Device
    private let errands: LiveErrands
    private var link: AgentLink

    init(home: String) throws {
        let machine = Machine(home: home)
        errands = LiveErrands(machine, opened: { _ in }, tell: { _, _ in })
        device = try Device(machine)
        guard let link = AgentLink(device.home), link.send(.follow) else {
            throw Programs.Failed(description: "no agent listens in \(home)")
        }
        self.link = link
    }

    /// Presses and tells the agent.
    func press(_ interaction: Interaction) throws {
        _ = try device.perform(interaction)
        _ = errands.logChanged(on: device)
    }

    var isRunning: Bool {
        get throws {
            let timer = TimerState(try device.store.state(), at: try device.now())
            return timer.mainInteraction == .pause
        }
    }

    /// Waits until what the laptop shows is so, looking whenever the agent says that something changed.
    func waitUntil(_ condition: (BenchedLaptop) throws -> Bool) throws {
        while try !condition(self) {
            guard case .line = link.wait(.seconds(10)) else {
                throw Programs.Failed(description: "nothing arrived within 10 s")
            }
        }
    }
}
