import ClientSupport
import CommandLineKit
import FocusCore
import FocusLink
import FocusScreen
import FocusSeal
import FocusStore
import FocusSync
import Foundation
import TestSupport
import Testing

@testable import FocusClient
@testable import FocusDevice
@testable import SystemKit

@Suite("focus doctor")
struct DoctorCommandTests {
    private let home = TemporaryHome()

    private func laptop(
        server: String? = nil, environment: [String: String] = [:],
        end: SyncEnd = .unreachable(.network("there is no network here"))
    ) -> TestContext {
        // The screen is wide enough for any path.
        TestContext(
            home: home.path, now: 1_763_661_600_000, screen: .init(columns: 500), environment: environment,
            server: server, serverEnd: end)
    }

    /// Puts this laptop into a group, with pending changes.
    private func member() throws -> Device {
        _ = laptop().run("start")
        let device = try Device(laptop().machine)
        try device.enterGroup(epoch: 0xE)
        return device
    }

    private func set(_ mode: Int, _ name: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: name.isEmpty ? home.path : "\(home.path)/\(name)")
    }

    /// Writes a file in the home folder that only its user may read.
    private func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(fileURLWithPath: "\(home.path)/\(name)"))
        try set(0o600, name)
    }

    /// Removes a file in the home folder, if it is there.
    private func remove(_ name: String) {
        try? FileManager.default.removeItem(atPath: "\(home.path)/\(name)")
    }

    /// Returns the lines that don't begin with `fine`. The path of the home folder is replaced by HOME.
    private func troubles(_ result: TestContext.Result) -> String {
        let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("fine ") }
        return lines.map { "\($0)\n" }.joined().replacingOccurrences(of: home.path, with: "HOME")
    }

    @Test("a laptop without a log has nothing to mend")
    func nothing() {
        let result = laptop().run("doctor")
        #expect(result.status == .done)
        #expect(troubles(result) == "note   There is no log in HOME yet. The first change creates it.\n")
        #expect(home.files == [])
    }

    @Test("a laptop in no group has nothing to mend")
    func alone() {
        _ = laptop().run("start")
        _ = laptop().run("set notifications=off sound=off")
        let result = laptop().run("doctor")
        #expect(result.status == .done)
        #expect(
            troubles(result) == """
                note   This laptop is in no group.
                       To share a session: 'focus share' on one laptop, and 'focus join INVITE' on the others.
                note   The agent isn't running: there are no notifications, and hooks don't run.
                       The next change starts it. 'focus agent install' starts it at each login.

                """)
        #expect(result.messages == "")
    }

    @Test("a time zone that the system doesn't know is noted")
    func unknownZone() {
        _ = laptop().run("start")
        let said = { (zone: String) in troubles(laptop(environment: ["TZ": zone]).run("doctor")) }
        #expect(said("Nope/Zone").contains("note   The time zone 'Nope/Zone' (TZ) isn't known here"))
        #expect(!said("CET-1CEST,M3.5.0/2,M10.5.0/3").contains("time zone"))
    }

    @Test("a hook that the agent wouldn't run is wrong, and a hook with an unknown name is noted")
    func hooks() throws {
        _ = laptop().run("start")
        #expect(!laptop().run("doctor").output.contains("hook:"))
        let folder = "\(home.path)/hooks"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for name in ["start", "phase-end", "start.sample", "skip~"] {
            try write(Data("#!/bin/sh\n".utf8), to: "hooks/\(name)")
            try set(0o700, "hooks/\(name)")
        }
        #expect(
            laptop().run("doctor").output.contains(
                "fine   The agent can run these hooks: phase-end, start.\n"))
        try set(0o600, "hooks/start")
        try write(Data(), to: "hooks/phase-begin")
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        let found = troubles(result)
        let broken = "The hook 'start' isn't run: HOME/hooks/start can't be run; 'chmod u+x' fixes that.\n"
        #expect(found.contains("WRONG  \(broken)"))
        #expect(
            found.contains("note   HOME/hooks/phase-begin is never run: there is no event of that name.\n")
        )
        let names =
            "start, pause, resume, stop, skip, phase-end, phase-start, overtime, phase-warning, joined, left, conflict"
        #expect(found.contains("       Hooks are called \(names).\n"))
    }

    @Test("files that other users may access are named, with the remedy")
    func permissions() throws {
        _ = laptop().run("start")
        try set(0o755, "")
        try set(0o640, "log.db")
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        #expect(result.messages.hasSuffix(" to fix.\n"))
        #expect(
            troubles(result).contains(
                "WRONG  Other users may use HOME: its mode is 755.\n       Forbid that: chmod 700 HOME\n"))
        #expect(troubles(result).contains("       Forbid that: chmod 600 HOME/log.db\n"))
        try set(0o700, "")
        for name in home.files { try set(0o600, name) }
        #expect(laptop().run("doctor").status == .done)
    }

    @Test("a file of another user is named, with the remedy")
    func owner() throws {
        _ = laptop().run("start")
        let home = try Home(Environment(["FOCUS_HOME": home.path]))
        let found = FileCheck(home, user: geteuid() + 1).findings
        #expect(found.allSatisfy { $0.verdict == .wrong && $0.text.contains("belongs to another user") })
        #expect(found.first?.remedy == "Give it to yourself: sudo chown \(geteuid() + 1) \(home.data)")
    }

    @Test("root is told to run focus as the files' owner")
    func root() throws {
        _ = laptop().run("start")
        let home = try Home(Environment(["FOCUS_HOME": home.path]))
        if geteuid() == 0 { try #require(chown(home.data, 1, 1) == 0) }
        let remedies = FileCheck(home, user: 0).findings.map(\.remedy)
        #expect(Set(remedies) == ["Run focus as that user, without sudo."])
    }

    /// The states that the file of a laptop's key may be in.
    enum KeyFile: String, CaseIterable { case gone, other, spoilt, exposed }

    @Test(
        "the remedy for a bad key file works, in a group and in none", arguments: KeyFile.allCases,
        [true, false])
    func key(file: KeyFile, isMember: Bool) throws {
        let device = try member()
        let path = "\(home.path)/identity.pem"
        let known = try IdentityFile(path: path).loadOrCreate().keyHash
        try device.store.setText(known.hexadecimal, for: .deviceKey)
        if !isMember { #expect(laptop().run("leave --yes").status == .done) }
        switch file {
        case .gone: remove("identity.pem")
        case .other:
            remove("identity.pem")
            _ = try IdentityFile(path: path).loadOrCreate()
        case .spoilt: try write(Data("no key".utf8), to: "identity.pem")
        case .exposed:
            _ = try IdentityFile(path: path).loadOrCreate()
            try set(0o644, "identity.pem")
        }
        let said = troubles(laptop().run("doctor"))
        let isTold = said.contains("WRONG  HOME/identity.pem")
        #expect(isTold == (isMember || [.spoilt, .exposed].contains(file)), "\(said)")
        #expect(said.contains("focus leave") == (isMember && file != .exposed), "\(said)")
        guard isTold else { return }
        if file == .exposed {
            #expect(said.contains("chmod 600 HOME/identity.pem"))
            try set(0o600, "identity.pem")
        } else if isMember {
            #expect(laptop().run("leave --yes").status == .done)
        } else {
            #expect(said.contains("Remove it: "))
            remove("identity.pem")
        }
        #expect(!troubles(laptop().run("doctor")).contains("identity.pem"))
    }

    @Test("a file that is no database is a damaged log, and the disk is still checked")
    func damage() throws {
        _ = laptop().run("start")
        for name in home.files where name != "log.db" { remove(name) }
        try write(Data(repeating: 7, count: 5000), to: "log.db")
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        #expect(result.messages == "focus: 1 problem to fix.\n")
        #expect(troubles(result).hasPrefix("WRONG  The log at HOME/log.db is damaged:"))
        #expect(result.output.contains("fine   The disk with"))
    }

    @Test(
        "a log of a newer version or of another program is reported as such",
        arguments: [("user_version", "newer version"), ("application_id", "another program.")])
    func schema(pragma: String, words: String) throws {
        _ = laptop().run("start")
        var file = try Data(contentsOf: URL(fileURLWithPath: "\(home.path)/log.db"))
        // SQLite's "Database File Format": four bytes each at 60 and 68 of the header.
        let place = pragma == "user_version" ? 60 : 68
        file.replaceSubrange(place..<(place + 4), with: [0, 0, 0x7F, 0x7F])
        for name in home.files { remove(name) }
        try write(file, to: "log.db")
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        #expect(troubles(result).contains(words), "\(result.output)")
    }

    @Test("presses ahead of the laptop's clock are wrong")
    func ahead() {
        let ahead = laptop()
        ahead.pass(.seconds(7200))
        _ = ahead.run("start")
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        #expect(troubles(result).contains("WRONG  3 changes lie up to 2h in the future, and count once "))
        // This context draws other replica numbers, so it writes under a new replica.
        let other = TestContext(home: home.path, now: 1_763_661_600_000, firstReplica: 0x51)
        #expect(other.run("clock accept").status == .done)
        #expect(!troubles(laptop().run("doctor")).contains("ahead"))
    }

    @Test("in a group the server, the pending changes and the key are checked")
    func group() throws {
        let device = try member()
        let reached = laptop(server: "focus.example.org").run("doctor")
        #expect(
            reached.output.contains(
                "fine   The server (focus.example.org) answers, and shows the pinned key."))
        #expect(troubles(reached).contains("note   3 changes wait to be sent; the server was never heard.\n"))
        #expect(troubles(reached).contains("note   The agent isn't running: there are no"))
        let cutOff = laptop(environment: ["FOCUS_NO_AGENT": "1"]).run("doctor")
        #expect(cutOff.status == .failed)
        #expect(
            troubles(cutOff).contains(
                "WRONG  The server can't be reached: there is no network here.\n       If a laptop shared it, "
            ))
        #expect(troubles(cutOff).contains("       They are sent once the server can be reached.\n"))
        #expect(troubles(cutOff).contains("note   The agent isn't running, because FOCUS_NO_AGENT is set"))
        let pin = ServerPin(Digest(InlineArray(repeating: 1)))
        try device.store.setServerPin(pin)
        let desk = Action.device(name: "desk", key: String(repeating: "b", count: 64))
        let epoch = EpochID(rawValue: 0xE)
        try device.merge(desk, by: 0x21, at: 1_763_661_000_000, epoch: epoch)
        let server = Action.set(key: ServerSetting.name, value: pin.key.beginning)
        try device.merge(server, by: 0x21, seq: 2, at: 1_763_661_000_001, epoch: epoch)
        #expect(
            troubles(laptop().run("doctor")).contains(
                "       The server runs on desk, which may be asleep or elsewhere. If it isn't, run "))
        try device.store.setText(String(repeating: "a", count: 64), for: .deviceKey)
        #expect(troubles(laptop().run("doctor")).contains("WRONG  HOME/identity.pem is gone"))
        let failure = DeviceFailure.key(.gone, path: "\(home.path)/identity.pem")
        #expect(throws: failure, "it makes itself no other") { try device.identity() }
    }

    @Test(
        "an obstacle to the server is reported once, and no finding contradicts it",
        arguments: [
            .unreachable(.network("no route")), .otherServer("there"),
            .closed(.refused(Refusal(.revoked, "out"))), .closed(.refused(Refusal(.unknownDevice, "who"))),
            .closed(.refused(Refusal(.busy, "full"))), .closed(.refused(Refusal(.shuttingDown, ""))),
            .closed(.otherGroup(GroupID(high: 3, low: 4))),
        ] as [SyncEnd])
    func once(end: SyncEnd) throws {
        let device = try member()
        let obstacle = try #require(end.obstacle)
        try device.record(obstacle)
        let result = laptop(end: end).run("doctor --json")
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let findings = try #require(document["findings"] as? [[String: Any]])
        let sentences = findings.flatMap { finding in
            ["text", "remedy"].compactMap { finding[$0] as? String }.flatMap {
                $0.components(separatedBy: ". ")
            }
        }
        #expect(Set(sentences).count == sentences.count, "\(sentences)")
        #expect(result.status == .failed)
        #expect(document["wrong"] as? Int == 1)
        let subjects = findings.compactMap { $0["subject"] as? String }
        #expect(subjects.contains("server") == (obstacle != .revoked))
        let isAway = obstacle == .unreachable || obstacle == .shutDown
        #expect(result.output.contains("'focus share' there continues that") == isAway)
        #expect(result.output.contains("are sent") == !obstacle.needsPerson)
        #expect(result.output.contains("on this laptop only") == obstacle.needsPerson)
    }

    @Test("for a damaged log only the damage is reported, and no finding that needs the log")
    func damagedInside() throws {
        let device = try member()
        _ = laptop().run("set notifications=off")
        try device.store.preallocateLog()
        // The pages after the first one are damaged, as by a bad disk.
        var file = try Data(contentsOf: URL(fileURLWithPath: "\(home.path)/log.db"))
        for name in ["log.db-wal", "log.db-shm"] { remove(name) }
        for page in 2..<(file.count / 4096) {
            file.replaceSubrange((page * 4096)..<(page * 4096 + 16), with: Data(repeating: 0xFF, count: 16))
        }
        try write(file, to: "log.db")
        let result = laptop(server: "focus.example.org").run("doctor")
        #expect(result.messages == "focus: 1 problem to fix.\n", "\(result.output)")
        let lines = troubles(result)
        #expect(lines.contains("WRONG  The log at HOME/log.db is damaged:"))
        #expect(!result.output.contains("The server"))
    }

    @Test("an agent's log says whether the last notification could be shown")
    func lastNotification() throws {
        let log = { (lines: [String]) throws -> String? in
            let path = "\(home.path).log"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let text = lines.map { "2025-11-20T18:00:00.000Z \($0)\n" }.joined()
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return AgentLogFile(path).notificationFailure
        }
        let failed = "notifications can't be shown: notify-send exited with 1"
        #expect(try log([]) == nil)
        #expect(try log(["started, process 7", "connected"]) == nil)
        #expect(try log(["started, process 7", failed, "connected"]) == "notify-send exited with 1")
        #expect(try log([failed, "started, process 8", "connected"]) == nil)
        #expect(try log(["started, process 7", failed, "notifications are shown again"]) == nil)
        #expect(AgentLogFile("/nowhere").notificationFailure == nil)
    }

    @Test("if notifications are on and can't be shown, the reason is noted")
    func notifications() throws {
        _ = laptop().run("start")
        let bare = ["PATH": "/nowhere:\(home.path)"]
        // No agent runs, and the next one may have the address of a bus.
        #expect(!troubles(laptop(environment: bare).run("doctor")).contains("can't be shown"))
        let device = try Device(laptop(environment: bare).machine)
        func findings(_ isAgentRunning: Bool) -> [String] {
            NotificationCheck(
                device: device, environment: Environment(bare), isAgentRunning: isAgentRunning
            ).findings.map(\.text)
        }
        let noBus = "Notifications can't be shown: the agent was started without the address"
        #expect(findings(true).contains { $0.hasPrefix(noBus) })
        #expect(!findings(false).contains { $0.hasPrefix(noBus) })
        // The address isn't one that this version can use, so only the program can.
        let remote = bare.merging(["DBUS_SESSION_BUS_ADDRESS": "tcp:host=127.0.0.1,port=1"]) { $1 }
        let found = "note   Notifications can't be shown: notify-send isn't in any folder of PATH.\n"
        #expect(troubles(laptop(environment: remote).run("doctor")).contains(found))
        #expect(laptop(environment: remote).run("doctor").output.contains("libnotify-bin"))
        try write(Data("#!/bin/sh\n".utf8), to: "notify-send")
        try set(0o700, "notify-send")
        #expect(
            laptop(environment: remote).run("doctor").output.contains(
                "fine   Notifications are shown by notify-send, without buttons.\n"))
        let gone = bare.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/bus"]) { $1 }
        #expect(
            troubles(laptop(environment: gone).run("doctor")).contains("the desktop's bus doesn't answer"))
    }

    @Test("the sound of a phase's end is named, unless sound is off")
    func sound() throws {
        _ = laptop().run("start")
        let data = "\(home.path)/sounds/lockstep"
        let environment = ["PATH": home.path, "XDG_DATA_DIRS": home.path]
        let said = { laptop(environment: environment).run("doctor").output }
        #expect(said().contains("and on an open page: the sound isn't installed.\n"))
        #expect(said().contains("       Install bell.wav in share/sounds/lockstep beside"))
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try write(Data(), to: "sounds/lockstep/bell.wav")
        #expect(said().contains("there is no pw-play, paplay or canberra-gtk-play.\n"))
        try write(Data(), to: "paplay")
        try set(0o700, "paplay")
        #expect(said().contains("fine   The end of a phase rings: paplay plays the sound.\n"))
        _ = laptop().run("set sound=off")
        #expect(!said().contains("The end of a phase rings"))
    }

    @Test("if the tray's icon is on and can't be shown, the reason is noted")
    func tray() throws {
        _ = laptop().run("set notifications=off")
        #expect(!laptop(environment: ["PATH": "/nowhere"]).run("doctor").output.contains("icon"))
        _ = laptop().run("set tray=on")
        let result = laptop(environment: ["PATH": "/nowhere"]).run("doctor")
        #expect(
            troubles(result).contains(
                "note   The icon can't be shown: the agent doesn't reach the desktop's bus"))
        #expect(result.output.contains("focus set tray=off"))
    }

    @Test("findings are wrapped to the terminal's width", arguments: [30, 40, 80])
    func width(columns: Int) {
        let finding = Finding.wrong(
            .disk, "Many words of which none is longer than a line.", remedy: "And more of them, to be done.")
        let lines = finding.text(.plain, columns: columns).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= columns })
        #expect(lines.first?.hasPrefix("WRONG  Many words") == true)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("       ") })
    }

    @Test(
        "little free space is noted, and very little is wrong",
        arguments: [(0, .wrong), (31 << 20, .wrong), (33 << 20, .note), (300 << 20, .fine), (1 << 40, .fine)]
            as [(UInt64, Finding.Verdict)])
    func disk(bytes: UInt64, verdict: Finding.Verdict) {
        let finding = FreeSpace(bytes: bytes).finding("/x")
        #expect(finding.verdict == verdict)
        #expect((finding.remedy == nil) == (verdict == .fine))
    }

    @Test(
        "a clock that is off is noted, and wrong beyond two minutes",
        arguments: [
            (0, .fine), (-1900, .fine), (5000, .note), (-5000, .note), (121_000, .wrong), (-121_000, .wrong),
            (Int64.min, .wrong),
        ] as [(Int64, Finding.Verdict)])
    func clock(offset: Int64, verdict: Finding.Verdict) {
        let finding = ClockOffset(offset: .milliseconds(offset)).finding
        #expect(finding.verdict == verdict)
        if verdict != .fine { #expect(finding.text.contains(offset > 0 ? " behind the" : " ahead of the")) }
    }
}
