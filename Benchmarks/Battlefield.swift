import Adversary
import FocusCore
import FocusSeal
import FocusText
import Glibc
import TestSupport

/// A server with its default settings, with a pair of laptops in one group and a hostile member in another.
final class Battlefield {
    /// The bytes that the attacker's group may store on the disk: few enough to be reached during an attack.
    static let quota = 128 << 20

    let pair: HonestPair
    let member: HostileMember
    let loop: AttackLoop
    private let programs: Programs
    private let scratch: Scratch
    /// The port on loopback that serves the server's `/readyz`.
    private let metricsPort: Int
    /// The folders of laptops that aren't in a group yet, each with an invite: the first to the pair's group,
    /// the second to the attacker's.
    private let newcomers: [(home: String, invite: String)]

    init(_ programs: Programs, bounds: AttackBounds) throws {
        self.programs = programs
        scratch = try Scratch(programs)
        metricsPort = try Scratch.freePort()
        try scratch.startServer(["--metrics", "127.0.0.1:\(metricsPort)"])
        // The pair, the hostile member, and a newcomer for each group.
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
        member = try device.enrol(hostile, within: bounds)
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
        return try ServerVitals(server, data: scratch.serverData, metrics: metricsPort)
    }

    /// Stops the server.
    ///
    /// - Returns: Whether the server ended by itself.
    func stop() -> Bool { scratch.stopServer() }

    /// Lets the newcomers begin to join.
    ///
    /// - Returns: For each newcomer, the seconds that joining took; nil if joining took longer than `limit` or
    ///   failed.
    func startJoining(within limit: Duration) throws -> [Background<Double?>] {
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

/// The state of a server at one moment, seen by its operator.
struct ServerVitals {
    /// The server's resident memory and its highest value so far, in bytes.
    let resident: Int
    let peak: Int
    /// The size of the files in the server's data folder, in bytes.
    let disk: Int
    /// The answer of `/readyz`: "ready", or the reason why the server isn't.
    let readiness: String

    var isReady: Bool { readiness == "ready" }

    /// - Parameters:
    ///   - process: The server's process.
    ///   - data: The server's data folder.
    ///   - metrics: The port on loopback that serves `/readyz`.
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

    /// Returns the size of a folder's files in bytes. Folders in it don't count.
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
