import FocusAgent
import FocusClient
import FocusContact
import FocusCore
import FocusDevice
import FocusStore
import SystemKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The time from a press until another connected laptop shows it. By then it is durable on the first laptop
/// and on the server.
enum PressBenchmark {
    static let presses = 300

    static func run(_ report: inout Report, _ programs: Programs) throws {
        report.note(
            "a press on one laptop to its showing on another, \(presses) presses, real agents and server")
        try run(&report, programs, what: "press to showing")
        // On a desktop each press of another laptop causes a notification.
        let desktop = try NotifyingDesktop(programs)
        try run(&report, programs, what: "press to showing, with notifications")
        report.figure("notifications meanwhile", Double(desktop.shown), unit: "")
        report.check("notifications are shown", desktop.shown > 0, "none is")
    }

    private static func run(_ report: inout Report, _ programs: Programs, what: String) throws {
        let scratch = try Scratch(programs)
        try scratch.startServer()
        let sorted = try times(in: scratch.path, joining: scratch.serverInvite(), programs).sorted()
        report.figure("\(what), median", median(sorted) * 1e3, unit: "ms", goal: .atMost(2))
        report.figure("\(what), 99 of 100", sorted[sorted.count * 99 / 100] * 1e3, unit: "ms")
    }

    /// Runs `pressing FOLDER INVITE [ADDRESS]`: the same measurement with servers that are running already.
    /// Prints the median and the 99th percentile in milliseconds.
    ///
    /// - Parameter arguments: A folder for the laptops, and an invite that brings a group to a server. The
    ///   optional third is another server's address, for the laptop that watches.
    static func runElsewhere(_ arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        guard (2...3).contains(words.count) else {
            throw Programs.Failed(description: "pressing FOLDER INVITE [ADDRESS]")
        }
        let sorted = try times(
            in: words[0], joining: words[1], watchingAt: words.count == 3 ? words[2] : nil, Programs()
        ).sorted()
        print(median(sorted) * 1e3, sorted[sorted.count * 99 / 100] * 1e3)
    }

    /// Returns the seconds that each press takes.
    ///
    /// - Parameter address: The server's address for the laptop that watches; nil if it is the invite's.
    private static func times(
        in folder: String, joining serverInvite: String, watchingAt address: String? = nil,
        _ programs: Programs
    ) throws -> [Double] {
        let homes = ["\(folder)/work", "\(folder)/home"]
        try programs.run(programs.focus, ["join", serverInvite], home: homes[0])
        let invite = Scratch.lastLine(try programs.run(programs.focus, ["invite"], home: homes[0]))
        try programs.run(programs.focus, ["join", invite], home: homes[1])
        defer { for home in homes { _ = try? programs.run(programs.focus, ["agent", "stop"], home: home) } }
        if let address {
            try programs.run(programs.focus, ["agent", "stop"], home: homes[1])
            try Device(Machine(home: homes[1])).store.setText(address, for: .servers)
        }
        // Starts the laptop's agent too, if it was stopped.
        try programs.run(programs.focus, ["start"], home: homes[1])
        let laptops = try homes.map { try AgentLaptop(home: $0) }
        try laptops[0].waitUntil { try $0.isRunning }

        var times: [Double] = []
        for press in 0..<presses {
            let isRunning = press % 2 == 1
            let began = ContinuousClock.now
            try laptops[0].press(isRunning ? .resume : .pause)
            try laptops[1].waitUntil { try $0.isRunning == isRunning }
            times.append((ContinuousClock.now - began).seconds)
        }
        return times
    }
}

/// A stand-in for the program with which agents show notifications. It comes first in `PATH` until this value
/// is released, and counts the notifications.
private final class NotifyingDesktop {
    private let scratch: Scratch
    private let path = getenv("PATH").map { String(cString: $0) } ?? ""
    private var shownFile: String { "\(scratch.path)/shown" }

    init(_ programs: Programs) throws {
        scratch = try Scratch(programs)
        let program = "\(scratch.path)/\(NotificationProgram.name)"
        let file = creat(program, 0o755)
        guard file >= 0 else { throw Programs.Failed(description: "\(program) can't be made") }
        defer { close(file) }
        try FileDescriptor(file, named: program).write("#!/bin/sh\necho \"$0\" >>'\(shownFile)'\n")
        setenv("PATH", "\(scratch.path):\(path)", 1)
        // The desktop of the person who measures shows nothing.
        setenv("DBUS_SESSION_BUS_ADDRESS", "", 1)
    }

    deinit { setenv("PATH", path, 1) }

    /// The number of notifications shown.
    var shown: Int { (try? FileDescriptor.contents(of: shownFile))?.count { $0 == UInt8(ascii: "\n") } ?? 0 }
}

extension Machine {
    /// Creates a machine like this one, with the laptop's files in the folder `home`.
    init(home: String) {
        let process = Machine.process
        self.init(
            environment: Environment(["FOCUS_HOME": home]), platform: process.platform,
            makeReplica: process.makeReplica)
    }
}

/// A laptop with a running agent. Presses and reads do the same as the commands, without starting processes.
final class AgentLaptop {
    private let device: Device
    private let operations: LiveGroupOperations
    private var link: AgentConnection

    init(home: String) throws {
        let machine = Machine(home: home)
        operations = LiveGroupOperations(machine, opened: { _ in }, tell: { _, _ in })
        device = try Device(machine)
        let end = ContinuousClock.now + .seconds(10)
        // A command doesn't wait for the agent that it starts.
        while true {
            if let link = AgentConnection(device.home), link.send(.follow) {
                self.link = link
                return
            }
            guard ContinuousClock.now < end else {
                throw Programs.Failed(description: "no agent listens in \(home)")
            }
            poll(nil, 0, 20)
        }
    }

    /// Presses, and notifies the agent.
    func press(_ interaction: Interaction) throws {
        _ = try device.perform(interaction)
        _ = operations.announceLocalChanges(on: device)
    }

    var isRunning: Bool {
        get throws {
            let timer = TimerState(try device.store.state(), at: try device.now())
            return timer.mainInteraction == .pause
        }
    }

    /// Waits until a condition holds, checking it whenever the agent reports a change.
    func waitUntil(_ condition: (AgentLaptop) throws -> Bool) throws {
        while try !condition(self) {
            guard case .line = link.wait(.seconds(10)) else {
                throw Programs.Failed(description: "nothing arrived within 10 s")
            }
        }
    }
}
