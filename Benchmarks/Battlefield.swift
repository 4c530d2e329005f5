import Adversary
import FocusCore
import FocusSeal
import FocusText
import Glibc
import TestSupport

/// A server at its default settings, a pair of laptops in one group of it, and in another one a member that means harm.
final class Battlefield {
    /// What a group of the attacker's may have on the disk, in bytes: little enough to be reached within an attack.
    static let quota = 128 << 20
    private static let metrics = 17_858

    let pair: HonestPair
    let member: HostileMember
    let loop: AttackLoop
    private let programs: Programs
    private let scratch: Scratch
    /// The folders of laptops that aren't in a group yet, and the invites that let them in: into the pair's group, and
    /// into the attacker's.
    private let newcomers: [(home: String, invite: String)]

    init(_ programs: Programs, patience: AttackBounds) throws {
        self.programs = programs
        scratch = try Scratch(programs)
        try scratch.startServer(["--metrics", "127.0.0.1:\(Battlefield.metrics)"])
        let homes = ["h0", "h1", "m0", "new-h", "new-m"].map { [scratch] in "\(scratch.path)/\($0)" }
        func join(_ home: String, with invite: String) throws {
            try programs.run(programs.focus, ["join", invite], home: home, startsAgent: false)
        }
        func invite(by home: String) throws -> String {
            Scratch.lastLine(try programs.run(programs.focus, ["invite"], home: home, startsAgent: false))
        }
        try join(homes[0], with: scratch.serverInvite())
        try join(homes[1], with: invite(by: homes[0]))
        try join(homes[2], with: scratch.serverInvite())
        let hostile = try Invite(invite(by: homes[2]))
        newcomers = [(homes[3], try invite(by: homes[0])), (homes[4], try invite(by: homes[2]))]

        loop = try AttackLoop()
        let device = try HostileDevice(at: AttackedServer(hostile), on: loop)
        member = try device.enrol(hostile, within: patience)
        try programs.run(
            programs.focusd,
            [
                "groups", "quota", member.group.text, "--bytes", "\(Battlefield.quota)", "--data",
                scratch.serverData,
            ])
        pair = try HonestPair(Array(homes.prefix(2)))
    }

    func vitals() throws -> ServerVitals {
        guard let server = scratch.server else { throw Programs.Failed(description: "no server") }
        return try ServerVitals(server, data: scratch.serverData, metrics: Battlefield.metrics)
    }

    /// Has the server end, and says whether it did so by itself.
    func stop() -> Bool { scratch.stopServer() }

    /// How long a newcomer takes to get in, in seconds; nil where it doesn't within this time.
    func newcomers(within limit: Duration) throws -> [Background<Double?>] {
        try newcomers.map { [programs] newcomer in
            try Background {
                let began = ContinuousClock.now
                let process = try programs.start(
                    programs.focus, ["join", newcomer.invite], home: newcomer.home, startsAgent: false)
                guard programs.wait(process, atMost: limit) == 0 else { return nil }
                return (ContinuousClock.now - began).seconds
            }
        }
    }
}

/// How a server is at a moment, as its operator sees it.
struct ServerVitals {
    /// Its memory now and the most that it ever had, in bytes.
    let resident: Int
    let peak: Int
    /// What its data folder takes, in bytes.
    let disk: Int
    /// What `/readyz` says: "ready", or why it isn't.
    let readiness: String

    var isReady: Bool { readiness == "ready" }

    /// - Parameter metrics: the port on loopback where it says whether it is ready.
    init(_ process: pid_t, data: String, metrics: Int) throws {
        guard let memory = Memory.of(process) else {
            throw Programs.Failed(description: "the server is gone")
        }
        (resident, peak) = memory
        disk = ServerVitals.size(of: data)
        let answer = try HTTPClient(port: UInt16(clamping: metrics))
            .ask("GET", "/readyz", host: "127.0.0.1:\(metrics)")
        readiness = answer.body.split(separator: "\n").joined(separator: " ")
    }

    /// What a folder's files take.
    private static func size(of folder: String) -> Int {
        guard let listing = opendir(folder) else { return 0 }
        defer { closedir(listing) }
        var size = 0
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            size += Int(status.st_size)
        }
        return size
    }
}
