import Adversary
import FocusCore
import FocusSync
import Glibc

/// The effect of a hostile member of one group on another group of the same server. An honest pair in the
/// other group presses ten times a second, first without an attack and then during one attack after the
/// other.
enum AdversaryBenchmark {
    /// The length of each attack.
    private static let duration = Duration.seconds(15)
    /// The time limit for everything else: the setup, late presses, a newcomer.
    private static let patience = Duration.seconds(30)

    // The goals: how many times slower a press may be, and MiB of memory and disk.
    private static let greatestSlowdown = 3.0
    private static let memory = 64.0
    private static let disk = Double(Battlefield.quota) / mebibyte * 1.1
    private static let mebibyte = Double(1 << 20)

    /// Runs these attacks, evasions and floods; all of them if none is named.
    static func run(
        _ report: inout Report, _ programs: Programs, _ attacks: [Attack], _ evasions: [Evasion],
        _ floods: [Flood]
    ) throws {
        let isAll = attacks.isEmpty && evasions.isEmpty && floods.isEmpty
        for flood in isAll ? Flood.allCases : floods {
            do {
                try FloodTrial(programs).flood(&report, flood, for: duration, patience: patience)
            } catch {
                report.note("\(flood.rawValue) could not be measured: \(error)")
                report.fail()
            }
        }
        for evasion in isAll ? Evasion.allCases : evasions {
            do {
                try evasion.attempt(&report, programs)
            } catch {
                report.note("\(evasion.rawValue) could not be tried: \(error)")
                report.fail()
            }
        }
        if isAll || !attacks.isEmpty {
            try run(&report, programs, isAll ? Attack.allCases : attacks)
        }
    }

    private static func run(_ report: inout Report, _ programs: Programs, _ attacks: [Attack]) throws {
        report.note(
            "a pair of laptops presses ten times a second beside a hostile member of another group, whose quota is \(Battlefield.quota >> 20) MiB"
        )
        let calm = try Trial(nil, programs, duration, patience)
        var rows = [calm.row]
        let longestPress = calm.presses.quantile(0.99) * greatestSlowdown
        calm.report(to: &report, slowest: nil, memory: memory, disk: disk)
        for attack in attacks {
            do {
                let trial = try Trial(attack, programs, duration, patience)
                trial.report(to: &report, slowest: longestPress, memory: memory, disk: disk)
                rows.append(trial.row)
            } catch {
                report.note("\(attack.rawValue) could not be measured: \(error)")
                report.fail()
            }
        }
        report.note(
            "| attack | honest p50, ms | p99, ms | lost | memory, MiB | disk, MiB | newcomers, s | readiness |"
        )
        report.note("| --- | --: | --: | --: | --: | --: | --- | --- |")
        for row in rows { report.note(row) }
    }
}

/// One attack on a server of its own, or a run without an attack.
private struct Trial {
    private let name: String
    let presses: HonestPair.Outcome
    private let attack: Attacker.Outcome
    private let before: ServerVitals
    private let after: ServerVitals
    /// The seconds that newcomers took to join the pair's group and the attacker's; nil if they didn't get
    /// in.
    private let newcomers: [Double?]
    private let hasStopped: Bool

    init(_ attack: Attack?, _ programs: Programs, _ duration: Duration, _ patience: Duration) throws {
        name = attack?.description ?? "calm"
        let setUp = AttackBounds(messages: .max, time: patience * 2)
        let field = try Battlefield(programs, bounds: setUp)
        let attacker = try attack.map {
            try Attacker($0, as: field.member, .full, on: field.loop, seed: 1, within: setUp)
        }
        before = try field.vitals()
        try field.pair.begin()
        let bounds = AttackBounds(messages: 2_000_000, time: duration)
        let attacking = try Background { () -> Attacker.Outcome in
            guard var attacker else {
                poll(nil, 0, Int32(duration.seconds * 1_000))
                return Attacker.Outcome()
            }
            return try attacker.attack(within: bounds)
        }
        // Waits until a third of the attack has passed.
        poll(nil, 0, Int32(duration.seconds * 1_000 / 3))
        let joining = try field.startJoining(within: patience)
        self.attack = try attacking.value()
        after = try field.vitals()
        presses = try field.pair.end(within: patience)
        newcomers = try joining.map { try $0.value() }
        hasStopped = field.stop()
    }

    private static let mebibyte = Double(1 << 20)
    private var memory: Double { Double(after.peak - before.resident) / Trial.mebibyte }
    private var disk: Double { Double(after.disk) / Trial.mebibyte }

    func report(to report: inout Report, slowest: Double?, memory mostMemory: Double, disk mostDisk: Double) {
        report.figure("\(name): a press, half of them", presses.quantile(0.5) * 1e3, unit: "ms")
        report.figure(
            "\(name): a press, 99 of 100", presses.quantile(0.99) * 1e3, unit: "ms",
            goal: slowest.map { .atMost($0 * 1e3) })
        report.figure("\(name): presses that didn't arrive", Double(presses.lost), unit: "", goal: .atMost(0))
        report.figure("\(name): more memory", memory, unit: "MiB", goal: .atMost(mostMemory))
        report.figure("\(name): disk", disk, unit: "MiB", goal: .atMost(mostDisk))
        report.check("\(name): the server is ready", after.isReady, "it says: \(after.readiness)")
        for (newcomer, group) in zip(newcomers, ["pair's", "attacker's"]) {
            report.check("\(name): a newcomer gets into the \(group) group", newcomer != nil, "it doesn't")
        }
        report.check("\(name): the server ends where it is told to", hasStopped, "it doesn't within a minute")
        let ends = attack.ends.map { "\($1) with code \($0.map { "\($0.rawValue)" } ?? "none")" }
        if !ends.isEmpty {
            report.note("the server ended connections: \(ends.sorted().joined(separator: ", "))")
        }
        for (what, count) in attack.silences.sorted(by: { $0.key < $1.key }) {
            report.note("the server didn't answer \(count) times: \(what)")
        }
    }

    var row: String {
        func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        let times = [0.5, 0.99].map { rounded(presses.quantile($0) * 1e3) }
        let joined = newcomers.map { $0.map(rounded) ?? "never" }.joined(separator: ", ")
        let cells =
            [name] + times + [
                "\(presses.lost)", "+" + rounded(memory), rounded(disk), joined, after.readiness,
            ]
        return "| \(cells.joined(separator: " | ")) |"
    }
}
