import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// A server and three laptops, with faults that occur at random.
final class Soak {
    private let world: World
    private var random: SeededGenerator
    /// The disks of the first laptop and of the server, if disks can be mounted.
    private var disks: [SmallDisk] = []
    private var areFull: Set<Int> = []
    /// The clock of the last laptop (`clock`) and of the server.
    private let clock: AdjustableClock
    private let serverClock: AdjustableClock
    private var backups = 0
    private var number = 0
    /// The labels of successful presses, in the log's JSON form.
    private var taken: Set<String> = []
    private(set) var tally: Tally

    /// - Parameter tally: The counts of the worlds before.
    init(_ world: World, seed: UInt64, _ tally: Tally) throws {
        self.world = world
        self.tally = tally
        random = SeededGenerator(seed: seed)
        clock = try AdjustableClock(in: world.folder)
        serverClock = try AdjustableClock(in: world.folder)
        let laptops = ["work", "home", "spare"].map { world.laptop($0) }
        if SmallDisk.isPossible {
            disks = try [laptops[0].home, world.server.data].map {
                try SmallDisk(over: $0, kibibytes: 8_192, in: world)
            }
            laptops[0].wrapper = disks[0].wrapper
            world.server.wrapper = disks[1].wrapper
        }
        laptops[2].clock = clock.clock
        try world.server.start(clock: serverClock.clock)
        for laptop in laptops {
            try laptop.join(laptop === laptops[0] ? world.server.invite() : laptops[0].invite())
            try laptop.startAgent()
        }
        try laptops[0].press("start", "Work")
        try world.agree()
    }

    /// Runs rounds until `kills` programs were killed, in all worlds, or until `end`. In the end all laptops
    /// must agree and nothing may be lost.
    func run(kills: Int, until end: ContinuousClock.Instant) throws {
        var lastLook = tally.kills
        while tally.kills < kills, ContinuousClock.now < end {
            try round()
            if tally.kills - lastLook >= 25 {
                lastLook = tally.kills
                try look()
            }
        }
        try look()
    }

    /// Starts some presses and causes one fault while they run.
    private func round() throws {
        let wasFull = areFull.contains(0)
        var presses: [(label: String, laptop: Int, command: RunningProgram)] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            number += 1
            let laptop = Int.random(in: 0..<3, using: &random)
            let command = try world.laptops[laptop].start(["label", "press \(number)"])
            presses.append(("press \(number)", laptop, command))
        }
        // A random pause, so that the fault occurs at any point of the presses.
        poll(nil, 0, Int32.random(in: 0...80, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case ..<6: try killAgent(of: Int.random(in: 0..<3, using: &random))
        case ..<12: try killServer()
        case ..<15:
            // Nobody knows whether the command had written the event by then.
            tally.kills += 1
            try presses[0].command.kill()
        case ..<17: try setClock()
        case ..<19: try fillOrFree()
        default: try backUpOrRestore()
        }
        for press in presses {
            let outcome = try press.command.wait()
            if outcome.status == 0 {
                taken.insert("\"\(press.label)\"")
                tally.presses += 1
            } else {
                tally.untaken += 1
                let mayBeFull = press.laptop == 0 && (wasFull || areFull.contains(0))
                let isExcused = outcome.status == 128 + SIGKILL || mayBeFull
                #expect(isExcused, "\(press.label): \(outcome.status), \(outcome.messages)")
            }
        }
    }

    private func killAgent(of laptop: Int) throws {
        tally.kills += 1
        try world.laptops[laptop].killAgent()
        try world.laptops[laptop].startAgent(until: nil)
    }

    private func killServer() throws {
        tally.kills += 1
        try world.server.kill()
        // It may fail to start on a full disk.
        try world.server.begin(clock: serverClock.clock)
    }

    private func setClock() throws {
        guard Bool.random(using: &random) else {
            tally.serverSteps += 1
            // A server that is hours behind isn't sure of its clock and stores nothing. One that starts hours
            // ahead can't know it. If it were then restored from an old copy, nobody could send its events
            // again.
            return try serverClock.set(
                ["+0", "+60", "-60", "-2h", "-400d"].randomElement(using: &random) ?? "+0")
        }
        tally.steps += 1
        let shift = ["+0", "+90", "-90", "+2h", "-2h", "+400d"].randomElement(using: &random) ?? "+0"
        try clock.set(shift)
    }

    private func fillOrFree() throws {
        guard let disk = disks.indices.randomElement(using: &random) else { return }
        guard areFull.remove(disk) == nil else { return try disks[disk].free() }
        tally.fills += 1
        areFull.insert(disk)
        try disks[disk].fill()
    }

    /// Restores the server from its last backup, or makes a backup if there is none.
    private func backUpOrRestore() throws {
        guard !areFull.contains(1) else { return }
        let isRestored = backups > 0 && Bool.random(using: &random)
        guard isRestored else {
            let outcome = try world.server.run(["backup", backup(backups + 1)])
            if outcome.status == 0 { backups += 1 }
            return
        }
        try world.server.kill()
        tally.kills += 1
        tally.restores += 1
        try world.server.runSuccessfully(["restore", backup(backups), "--replace"])
        try world.server.begin(clock: serverClock.clock)
    }

    private func backup(_ number: Int) -> String { world.folder.file("backup-\(number)") }

    /// Repairs all faults. Then checks that all laptops agree and have each successful press exactly once.
    private func look() throws {
        for disk in areFull { try disks[disk].free() }
        areFull = []
        try clock.set("+0")
        try serverClock.set("+0")
        try world.server.kill()
        try world.server.start(clock: serverClock.clock)
        for laptop in world.laptops {
            try laptop.killAgent()
            try laptop.startAgent(until: nil)
        }
        let log = try world.agree()
        tally.agreements += 1
        var counts: [String: Int] = [:]
        for line in log {
            for text in line.split(separator: "\"text\":").dropFirst() {
                counts[String(text.prefix { $0 != "," && $0 != "}" }), default: 0] += 1
            }
        }
        let lost = taken.filter { counts[$0] == nil }
        let doubled = taken.filter { counts[$0, default: 0] > 1 }
        tally.lost += lost.sorted()
        tally.doubled += doubled.sorted()
        #expect(lost.isEmpty, "\(lost.count) presses are lost")
        #expect(doubled.isEmpty, "\(doubled.count) presses are there more than once")
        taken.subtract(lost.union(doubled))
    }
}
