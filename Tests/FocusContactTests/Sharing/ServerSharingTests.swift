import ClientSupport
import FocusContact
import FocusDevice
import FocusLink
import FocusNet
import Foundation
import Synchronization
import SystemKit
import Testing

/// Sharing on a system with programs that the test plays.
@Suite("The server that a laptop shares")
struct ServerSharingTests {
    private let folder = TemporaryHome()
    private let system: PlayedSystem

    init() throws { system = try PlayedSystem(in: folder.path) }

    /// A system's programs. `focusd serve` is played by a lock that this process holds.
    private final class PlayedSystem: Sendable {
        let path: String
        private let made = Mutex<[String]>([])
        private let failing = Mutex<Set<String>>([])
        private let lock = Mutex<LockFile?>(nil)
        /// Whether a started server becomes ready.
        let serves = Mutex(true)
        let hasUserSession = Mutex(true)
        let usedPorts = Mutex<Set<UInt16>>([])
        let hosts = Mutex(["192.0.2.7", "2001:db8::1"])
        let silentHosts = Mutex<Set<String>>([])
        let reaches = Mutex(HostReach.others)

        init(in path: String) throws {
            self.path = path
            for name in ["focus", "focusd"] {
                let file = "\(path)/bin/\(name)"
                try FileManager.default.createDirectory(
                    atPath: "\(path)/bin", withIntermediateDirectories: true)
                try Data().write(to: URL(fileURLWithPath: file))
                chmod(file, 0o700)
            }
        }

        var data: String { "\(path)/data/server" }

        /// The commands since the last call, without the folder's path.
        var calls: [String] {
            made.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }

        /// Makes the commands that begin with these words fail.
        func fail(_ words: String) { failing.withLock { _ = $0.insert(words) } }

        /// Makes all commands succeed again.
        func failNothing() { failing.withLock { $0 = [] } }

        private func run(_ words: [String]) throws(SystemError) -> ProgramResult {
            let text = words.joined(separator: " ").replacing("\(path)/", with: "")
            made.withLock { $0.append(text) }
            if failing.withLock({ $0.contains { text.hasPrefix($0) } }) {
                return ProgramResult(status: 1, text: "It is broken\n")
            }
            if text.hasPrefix("firewall-cmd") {
                throw SystemError("firewall-cmd can't be started", code: ENOENT)
            }
            if text == "systemctl --user show-environment", !hasUserSession.withLock({ $0 }) {
                return ProgramResult(status: 1, text: "Failed to connect to bus\n")
            }
            if text.contains("focusd init") {
                try NewFile.makeFolders(data)
                try WholeFile.replace("\(data)/identity.pem", with: "")
            }
            if text.hasPrefix("systemctl --user restart") { try serve() }
            if text.hasPrefix("systemctl --user disable") { lock.withLock { $0 = nil } }
            return ProgramResult(status: 0, text: "A message\nlockstep1-invite\n")
        }

        private func serve() throws(SystemError) {
            guard serves.withLock({ $0 }) else { return }
            let taken = try LockFile(path: "\(data)/focusd.lock")
            lock.withLock { $0 = taken }
        }

        /// Has the running server write notes about itself.
        func write(notes: String) { lock.withLock { $0 }?.write(notes) }

        /// Ends the server, as a crash does.
        func crash() { lock.withLock { $0 = nil } }

        var programs: SharingPrograms {
            SharingPrograms(
                focus: { "\(self.path)/bin/focus" },
                run: { words throws(SystemError) in try self.run(words) },
                start: { words, messages throws(SystemError) in
                    let text = words.joined(separator: " ").replacing("\(self.path)/", with: "")
                    self.made.withLock { $0.append("started: \(text)") }
                    try self.serve()
                    return 4711
                },
                hasUnits: true, hosts: { self.hosts.withLock { $0 } },
                answers: { host, _ in !self.silentHosts.withLock { $0.contains(host) } },
                isFree: { port in !self.usedPorts.withLock { $0.contains(port) } },
                reach: { _ in self.reaches.withLock { $0 } }, ufwSettings: "\(path)/ufw.conf")
        }
    }

    private var home: Home { Home(folder: "\(folder.path)/data") }
    private var unit: String { "\(folder.path)/.config/systemd/user/focus-server.service" }

    private func sharing(_ variables: [String: String] = [:]) -> ServerSharing {
        ServerSharing(
            home, Environment(["HOME": folder.path].merging(variables) { $1 }), system.programs,
            patience: .milliseconds(50))
    }

    /// Returns the failure of `body`; nil if it succeeds.
    private func failure(_ body: () throws(SharingFailure) -> Void) -> SharingFailure? {
        do throws(SharingFailure) { try body() } catch { return error }
        return nil
    }

    private func start() -> SharingFailure? {
        failure { () throws(SharingFailure) in _ = try sharing().start() }
    }

    @Test(
        "it is made once, and systemd runs it from then on; ending it removes the unit and keeps the folder")
    func systemd() throws {
        let sharing = sharing()
        #expect(try sharing.start() == 7853)
        #expect(
            system.calls == [
                "bin/focusd init --address auto --data data/server", "systemctl --user show-environment",
                "systemctl --user daemon-reload", "systemctl --user enable focus-server.service",
                "systemctl --user restart focus-server.service",
            ])
        let text = try String(contentsOfFile: unit, encoding: .utf8)
        #expect(text.contains("\nExecStart=\(folder.path)/bin/focusd serve --data \(system.data) --listen "))
        #expect(text.contains(":7853 --metrics off\n") || text.contains(":7853\" --metrics off\n"))
        #expect(sharing.server.record == SharedServer.Record(port: 7853, isOn: true))
        #expect(!sharing.needsStart)
        // A server that runs needs nothing more.
        #expect(try sharing.start() == 7853)
        #expect(system.calls == [])

        try sharing.stop()
        #expect(
            system.calls == [
                "systemctl --user show-environment", "systemctl --user disable --now focus-server.service",
                "systemctl --user daemon-reload",
            ])
        #expect(!FileManager.default.fileExists(atPath: unit))
        #expect(sharing.server.isMade)
        #expect(sharing.server.record == SharedServer.Record(port: 7853, isOn: false))
        #expect(failure { () throws(SharingFailure) in try sharing.stop() } == .notShared)

        // It continues at the same port, with the same key.
        system.usedPorts.withLock { $0 = [7853] }
        #expect(start() == .portInUse(7853))
        system.usedPorts.withLock { $0 = [] }
        #expect(try sharing.start() == 7853)
        #expect(!system.calls.contains { $0.contains("init") })
    }

    @Test("without systemd it runs in the background, and the agent has to start it again if it dies")
    func background() throws {
        system.hasUserSession.withLock { $0 = false }
        let sharing = sharing()
        _ = try sharing.start()
        #expect(
            system.calls.last?.hasPrefix("started: bin/focusd serve --data data/server --listen ") == true)
        #expect(!FileManager.default.fileExists(atPath: unit))
        #expect(!sharing.needsStart)
        system.crash()
        #expect(sharing.needsStart)
        #expect(try sharing.startInBackground() == 4711)
        #expect(!sharing.needsStart)
        system.crash()
        try sharing.stop()
        #expect(!sharing.needsStart)
    }

    @Test("if the usual port is in use it takes another, and the invites name that")
    func otherPort() throws {
        system.usedPorts.withLock { $0 = [7853, 7855] }
        #expect(try sharing().start() == 7856)
        #expect(system.calls.first == "bin/focusd init --address auto:7856 --data data/server")
        system.usedPorts.withLock { $0 = Set(7853...7900) }
        system.crash()
        try FileManager.default.removeItem(atPath: "\(home.data)/sharing")
        #expect(start() == .noPort)
    }

    @Test("the last line of 'focusd invite' is the invite")
    func invite() throws {
        _ = try sharing().start()
        #expect(try sharing().serverInvite() == "lockstep1-invite")
        #expect(system.calls.last == "bin/focusd invite --data data/server")
    }

    @Test("focusd is looked for beside focus, then in PATH")
    func program() throws {
        let file = "\(folder.path)/bin/focusd"
        try FileManager.default.moveItem(atPath: file, toPath: "\(folder.path)/focusd")
        #expect(start() == .noServerProgram)
        let elsewhere = sharing(["PATH": "relative:\(folder.path)"])
        #expect(try elsewhere.start() == 7853)
        #expect(system.calls.first == "focusd init --address auto --data data/server")
    }

    @Test("programs that fail are named with what they said")
    func failing() throws {
        system.fail("bin/focusd init")
        guard case .failed(let command, let result)? = start() else {
            Issue.record("it didn't fail")
            return
        }
        #expect(command.hasSuffix("focusd init --address auto --data \(system.data)"))
        #expect(result == ProgramResult(status: 1, text: "It is broken\n"))
    }

    @Test("a server that isn't ready in time, or doesn't end, is named, with the place of its messages")
    func late() throws {
        system.serves.withLock { $0 = false }
        #expect(start() == .notReady(log: nil))
        system.hasUserSession.withLock { $0 = false }
        try FileManager.default.removeItem(atPath: unit)
        #expect(start() == .notReady(log: "\(system.data)/focusd.log"))
        // A server that doesn't run isn't on, so the agent doesn't start it.
        #expect(sharing().server.record == SharedServer.Record(port: 7853, isOn: false))
        system.serves.withLock { $0 = true }
        #expect(start() == nil)
        // The lock doesn't name a process.
        #expect(failure { () throws(SharingFailure) in try sharing().stop() } == .stillRuns)
    }

    @Test("a start that was interrupted can be ended, whether the server runs or only its unit is there")
    func interrupted() throws {
        let stop = { self.failure { () throws(SharingFailure) in try self.sharing().stop() } }
        // The server runs, and no laptop can connect to it yet.
        system.silentHosts.withLock { $0 = ["127.0.0.1"] }
        #expect(start() == .notReady(log: nil))
        #expect(sharing().server.isRunning)
        #expect(stop() == nil)
        #expect(!sharing().server.isRunning)
        system.serves.withLock { $0 = false }
        #expect(start() == .notReady(log: nil))
        try FileManager.default.removeItem(atPath: "\(home.data)/sharing")
        #expect(stop() == nil)
        #expect(!FileManager.default.fileExists(atPath: unit))
        #expect(stop() == .notShared)
        try WholeFile.replace(unit, with: "[Unit]\n")
        #expect(stop() == .notShared, "another program's unit isn't a server that this laptop shares")
    }

    @Test("a server that was interrupted before it was made takes another port if its own is in use")
    func unmade() throws {
        system.fail("bin/focusd init")
        #expect(start() != nil)
        system.failNothing()
        system.usedPorts.withLock { $0 = [7853] }
        #expect(try sharing().start() == 7855)
    }

    @Test(
        "a server with a key and without addresses, because its making failed, gets them at the next start",
        arguments: [nil, SharedServer.Record(port: 7853, isOn: false)])
    func halfMade(former: SharedServer.Record?) throws {
        if let former { try sharing().server.store(former) }
        system.fail("bin/focusd init")
        #expect(start() != nil)
        try WholeFile.replace("\(system.data)/identity.pem", with: "")
        system.failNothing()
        _ = system.calls
        #expect(start() == nil)
        #expect(system.calls.first == "bin/focusd init --address auto --data data/server")
    }

    @Test("the process to end is what the lock's holder says, and never a group of processes")
    func process() throws {
        try NewFile.makeFolders(system.data)
        let path = "\(system.data)/focusd.lock"
        func named(_ line: String) throws -> Int32? {
            let lock = try #require(try LockFile(path: path))
            lock.write("\n\n\n\(line)\n")
            return withExtendedLifetime(lock) { sharing().server.process }
        }
        for line in ["", "x", "-4711", "-1", "0", "1"] { #expect(try named(line) == nil, "\(line)") }
        #expect(try named("4711") == 4711)
        #expect(sharing().server.process == nil)
        // Another command holds the lock, and has said nothing yet.
        let lock = try #require(try LockFile(path: path))
        #expect(sharing().server.process == nil)
        withExtendedLifetime(lock) {}
    }

    @Test("a unit that another program wrote stays as it is")
    func foreign() throws {
        try WholeFile.replace(unit, with: "[Unit]\n")
        #expect(start() == .foreignUnit(unit))
        #expect(try String(contentsOfFile: unit, encoding: .utf8) == "[Unit]\n")
    }

    @Test("a file that can't be written is named")
    func unwritable() throws {
        try WholeFile.replace("\(home.data)/sharing.new/x", with: "")
        guard case .system(let error)? = start() else {
            Issue.record("it didn't fail")
            return
        }
        #expect(error.action.contains("sharing.new"))
    }

    @Test(
        "a damaged record counts as none", arguments: ["", "on", "on 0", "on 70000", "yes 7853", "on 7853 x"])
    func damaged(text: String) throws {
        try WholeFile.replace("\(home.data)/sharing", with: text)
        #expect(sharing().server.record == nil)
        #expect(!sharing().needsStart)
    }

    @Test(
        "a server that runs goes on at its port if its record is gone or damaged",
        arguments: [nil, "", "on 7853 x"])
    func lostRecord(text: String?) throws {
        system.usedPorts.withLock { $0 = [7853] }
        #expect(try sharing().start() == 7855)
        let file = "\(home.data)/sharing"
        try FileManager.default.removeItem(atPath: file)
        if let text { try WholeFile.replace(file, with: text) }
        _ = system.calls
        #expect(start() == .unknownPort)
        system.write(notes: "\n\n\n\n\n7855\n")
        #expect(try sharing().start() == 7855)
        #expect(system.calls == [] && sharing().server.isRunning)
        #expect(sharing().server.record == SharedServer.Record(port: 7855, isOn: true))
    }

    @Test("a record that can't be read is named, and the server stays as it is")
    func unreadableRecord() throws {
        _ = try sharing().start()
        let file = "\(home.data)/sharing"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        _ = system.calls
        let stop = failure { () throws(SharingFailure) in try sharing().stop() }
        let move = failure { () throws(SharingFailure) in _ = try sharing().prepareMove(to: "a.example") }
        for found in [start(), stop, move] {
            guard case .system(let error)? = found else {
                Issue.record("\(found as Any)")
                continue
            }
            #expect(error.code == EISDIR)
        }
        #expect(system.calls == [] && sharing().server.isRunning)
    }

    @Test("a move announces the new address, and makes a backup in place of the last one")
    func moving() throws {
        #expect(failure { () throws(SharingFailure) in _ = try sharing().prepareMove(to: "a") } == .notShared)
        _ = try sharing().start()
        _ = system.calls
        try WholeFile.replace("\(home.data)/server.backup", with: "old")
        #expect(try sharing().prepareMove(to: "focus.example.org") == "\(home.data)/server.backup")
        #expect(
            system.calls == [
                "bin/focusd init --address focus.example.org --data data/server",
                "bin/focusd backup data/server.backup --data data/server",
                "bin/focusd init --address focus.example.org --address auto --data data/server",
            ])
        #expect(!FileManager.default.fileExists(atPath: "\(home.data)/server.backup"))
    }

    @Test(
        "a move that fails isn't recorded, and brings back the laptop's own addresses",
        arguments: ["init --address focus", "backup"])
    func failedMove(command: String) throws {
        _ = try sharing().start()
        _ = system.calls
        system.fail("bin/focusd \(command)")
        let failure = self.failure { () throws(SharingFailure) in
            _ = try sharing().prepareMove(to: "focus.example.org")
        }
        guard case .failed? = failure else {
            Issue.record("\(failure as Any)")
            return
        }
        #expect(sharing().server.record == SharedServer.Record(port: 7853, isOn: true))
        #expect(system.calls.last == "bin/focusd init --address auto --data data/server")
    }

    @Test("a move that is given up brings back the laptop's own addresses, and removes the backup")
    func staying() throws {
        system.usedPorts.withLock { $0 = [7853] }
        _ = try sharing().start()
        _ = system.calls
        try WholeFile.replace("\(home.data)/server.backup", with: "old")
        _ = try sharing().prepareMove(to: "focus.example.org")
        #expect(sharing().server.record?.isMoving == true)
        _ = system.calls
        #expect(try sharing().prepareMove(to: "auto") == nil)
        #expect(sharing().server.record == SharedServer.Record(port: 7855, isOn: true))
        #expect(system.calls == ["bin/focusd init --address auto:7855 --data data/server"])
        #expect(!FileManager.default.fileExists(atPath: "\(home.data)/server.backup"))
    }

    @Test("a move isn't given up without a confirmation once the server has ended here")
    func stayingAfterEnd() throws {
        let sharing = sharing()
        _ = try sharing.start()
        _ = try sharing.prepareMove(to: "focus.example.org")
        try sharing.stop()
        let record = sharing.server.record
        #expect(
            failure { () throws(SharingFailure) in _ = try sharing.prepareMove(to: "auto") } == .mayHaveMoved)
        #expect(sharing.server.record == record)
        #expect(try sharing.prepareMove(to: "auto", isConfirmed: true) == nil)
        #expect(sharing.server.record == SharedServer.Record(port: 7853, isOn: false))
    }

    @Test("after a move, a laptop that has left the group gets another server, and the data is kept")
    func sharingAfterMove() throws {
        let sharing = sharing()
        _ = try sharing.start()
        _ = try sharing.prepareMove(to: "focus.example.org")
        try sharing.stop()
        let record = try #require(sharing.server.record)
        #expect(record.isAway && !record.hasMoved)
        let moved = SharedServer.Record(port: 7853, isOn: false, hasMoved: true)
        try sharing.server.store(moved)
        #expect(sharing.server.record == moved && moved.isMoving)
        _ = system.calls
        #expect(
            failure { () throws(SharingFailure) in _ = try sharing.start(isMember: true) } == .stillRuns)
        #expect(system.calls == [] && sharing.server.record == moved, "a member's server isn't replaced")
        #expect(try sharing.start() == 7853)
        #expect(system.calls.first == "bin/focusd init --address auto --data data/server")
        #expect(FileManager.default.fileExists(atPath: "\(system.data)-moved/identity.pem"))
        #expect(sharing.server.record == SharedServer.Record(port: 7853, isOn: true))
    }

    @Test("a move to an address that other laptops can't reach changes nothing")
    func unreachableMove() throws {
        _ = try sharing().start()
        _ = system.calls
        let move = {
            self.failure { () throws(SharingFailure) in _ = try self.sharing().prepareMove(to: "a:443") }
        }
        system.reaches.withLock { $0 = .nobody("looking up a: no such host name") }
        #expect(move() == .unknownHost("looking up a: no such host name"))
        system.reaches.withLock { $0 = .thisMachine }
        #expect(move() == .ownHost("a"))
        #expect(system.calls == [])
    }

    @Test("what keeps other laptops out is named")
    func problems() throws {
        _ = try sharing().start()
        #expect(sharing().problems() == [])
        system.silentHosts.withLock { $0 = ["2001:db8::1"] }
        #expect(sharing().problems() == [.noAnswer(host: "2001:db8::1", port: 7853)])
        system.hosts.withLock { $0 = [] }
        #expect(sharing().problems() == [.noNetwork])
    }

    @Test(
        "ufw is named if its settings say that it is on",
        arguments: [
            ("# ENABLED=yes\nENABLED=no\n", false), ("ENABLED=yes\n", true), ("ENABLED = \"Yes\"\n", true),
            ("", false),
        ])
    func ufw(settings: String, isOn: Bool) throws {
        _ = try sharing().start()
        try WholeFile.replace("\(folder.path)/ufw.conf", with: settings)
        #expect(sharing().problems() == (isOn ? [.firewall(.ufw, port: 7853)] : []))
    }

    @Test("firewalld is named if it runs and doesn't let the port in")
    func firewalld() throws {
        func problems(_ query: Int32) -> [SharingProblem] {
            var programs = system.programs
            programs.run = { words throws(SystemError) in
                ProgramResult(
                    status: words == ["firewall-cmd", "--query-port=7853/tcp"] ? query : 0, text: "")
            }
            return programs.problems(at: 7853)
        }
        #expect(problems(1) == [.firewall(.firewalld, port: 7853)])
        #expect(problems(0) == [])
    }
}
