package import FocusDevice
package import FocusLink
import FocusNet
import FocusSync
package import SystemKit

/// Sets up, starts and ends the server that this laptop shares its session from.
package struct ServerSharing: Sendable {
    /// The server.
    package let server: SharedServer
    private let home: Home
    private let environment: Environment
    private let programs: SharingPrograms
    /// The time in which a server has to be ready, or has to end.
    private let patience: Duration

    /// The ports to try, in order: the default, then some above 7854, the default port of metrics.
    private static let ports: [UInt16] = [Address.defaultPort] + Array(7855...7874)

    /// The sharing of the laptop with these files.
    ///
    /// - Parameter patience: The time in which a server has to be ready, or has to end.
    package init(
        _ home: Home, _ environment: Environment, _ programs: SharingPrograms = .process,
        patience: Duration = .seconds(15)
    ) {
        self.patience = patience
        self.home = home
        self.environment = environment
        self.programs = programs
        server = SharedServer(home)
    }

    // MARK: - Starting

    /// Makes the server if there is none, and runs it if it doesn't run. Returns when laptops can connect.
    ///
    /// - Parameter isMember: Whether the laptop is in a group of the server. Then this fails if a move was
    ///   prepared before the server ended.
    /// - Returns: The port of the server.
    package func start(isMember: Bool = false) throws(SharingFailure) -> UInt16 {
        let program = try serverProgram()
        let former = try loadRecord()
        if former?.isAway == true {
            // The caller has refused that, so the server still ran then.
            guard !isMember else { throw .stillRuns }
            try putAside()
        }
        let isRunning = server.isRunning
        let record = isRunning || server.isMade ? former : nil
        let port: UInt16
        if let record {
            port = record.port
        } else if isRunning {
            // Its record is lost. It goes on with its addresses, at the port that the other laptops know.
            guard let known = server.port else { throw .unknownPort }
            port = known
        } else {
            port = try choosePort()
        }
        if !isRunning, !programs.isFree(port) { throw .portInUse(port) }
        if record == nil, !isRunning {
            // There is no record before the server has its addresses. So if this is interrupted or fails, the
            // next start sets them.
            server.removeRecord()
            try setAddresses([ownAddress(port)], program)
            // From here on `stop` knows of the server, even if this is interrupted.
            try store(SharedServer.Record(port: port, isOn: false))
        }
        if !server.isRunning, try !startUnit(program, port) { _ = try start(program, port) }
        // The agent starts a server that is on and doesn't run. So it is on only once it runs.
        try awaitReady(port)
        try store(
            SharedServer.Record(port: port, isOn: true, isMoving: try loadRecord()?.isMoving ?? false))
        return port
    }

    private func loadRecord() throws(SharingFailure) -> SharedServer.Record? {
        do throws(SystemError) { return try server.loadRecord() } catch { throw .system(error) }
    }

    /// Keeps the data of a server that is on another machine now in another folder. The caller is in none of its
    /// groups, and gets a server with another key: a second one with the same key could split those groups.
    private func putAside() throws(SharingFailure) {
        guard !server.isRunning else { throw .stillRuns }
        var number = 1
        var path: String { "\(server.data)-moved\(number == 1 ? "" : "-\(number)")" }
        while access(path, F_OK) == 0 { number += 1 }
        guard rename(server.data, path) == 0 || errno == ENOENT else {
            throw .system(SystemError("\(server.data) can't be moved to \(path)"))
        }
        server.removeRecord()
    }

    /// Whether the server should run and doesn't, and no unit of systemd starts it.
    package var needsStart: Bool {
        server.record?.isOn == true && !server.isRunning && !hasUnit
    }

    /// The file of the server's messages; nil if systemd keeps them.
    package var log: String? { hasUnit ? nil : server.log }

    /// Starts the server in the background, without waiting until it is ready.
    ///
    /// - Returns: The id of its process.
    package func startInBackground() throws(SharingFailure) -> Int32 {
        guard let record = server.record else { throw .notShared }
        return try start(try serverProgram(), record.port)
    }

    /// Returns an invite with which this laptop brings its group to the server.
    package func serverInvite() throws(SharingFailure) -> String {
        let text = try run([try serverProgram(), "invite", "--data", server.data])
        return text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    }

    /// Returns the obstacles between other laptops and the server, as far as this laptop can find out.
    package func problems() -> [SharingProblem] {
        server.record.map { programs.problems(at: $0.port) } ?? []
    }

    private func start(_ program: String, _ port: UInt16) throws(SharingFailure) -> Int32 {
        do throws(SystemError) {
            return try programs.start(serving(program, port), server.log)
        } catch {
            throw .system(error)
        }
    }

    /// Makes systemd run the server. Returns false if systemd can't be reached for this user.
    private func startUnit(_ program: String, _ port: UInt16) throws(SharingFailure) -> Bool {
        guard programs.hasUnits, (try? programs.run(ServerUnit.question).status) == 0,
            let unit = ServerUnit(running: serving(program, port), in: server.data, environment)
        else { return false }
        guard !ServerUnit.isForeign(unit.path) else { throw .foreignUnit(unit.path) }
        do throws(SystemError) {
            try WholeFile.replace(unit.path, with: unit.text, mode: 0o644)
        } catch {
            throw .system(error)
        }
        for words in ServerUnit.enabling { try run(words) }
        return true
    }

    /// Returns the command that serves.
    private func serving(_ program: String, _ port: UInt16) -> [String] {
        let place = Address.text(host: PortProbe.everywhere, port: port)
        return [program, "serve", "--data", server.data, "--listen", place, "--metrics", "off"]
    }

    private func awaitReady(_ port: UInt16) throws(SharingFailure) {
        let isReady = Polling.wait(atMost: patience) { () -> Bool? in
            server.isRunning && programs.answers("127.0.0.1", port) ? true : nil
        }
        if isReady != true { throw .notReady(log: log) }
    }

    private func choosePort() throws(SharingFailure) -> UInt16 {
        guard let port = ServerSharing.ports.first(where: programs.isFree) else { throw .noPort }
        return port
    }

    /// Returns the path of `focusd`: beside `focus`, or else in PATH.
    private func serverProgram() throws(SharingFailure) -> String {
        guard let path = ProgramPath.find("focusd", beside: programs.focus(), in: environment) else {
            throw .noServerProgram
        }
        return path
    }

    // MARK: - Ending

    /// Ends the server, and removes its unit. The data folder stays, with the server's key.
    package func stop() throws(SharingFailure) {
        let record = try loadRecord()
        guard record?.isOn == true || server.isRunning || hasOwnUnit else { throw .notShared }
        // From here on the agent doesn't start it again.
        if let record {
            try store(
                SharedServer.Record(
                    port: record.port, isOn: false, isMoving: record.isMoving, hasMoved: record.hasMoved))
        }
        try stopUnit()
        if let process = server.process { kill(process, SIGTERM) }
        let isOver = Polling.wait(atMost: patience) { server.isRunning ? nil : true }
        if isOver != true { throw .stillRuns }
    }

    private func stopUnit() throws(SharingFailure) {
        guard hasUnit, let path = ServerUnit.path(environment) else { return }
        guard !ServerUnit.isForeign(path) else { throw .foreignUnit(path) }
        // If systemd can't be reached, it doesn't run the server.
        let isReachable = (try? programs.run(ServerUnit.question).status) == 0
        if isReachable { try run(ServerUnit.disabling) }
        do throws(SystemError) { try WholeFile.remove(path) } catch { throw .system(error) }
        if isReachable { try run(ServerUnit.reloading) }
    }

    private var hasUnit: Bool { ServerUnit.path(environment).map { access($0, F_OK) == 0 } ?? false }

    /// Whether there is a unit that `focus share` wrote. An interrupted start may have left it.
    private var hasOwnUnit: Bool {
        hasUnit && ServerUnit.path(environment).map { !ServerUnit.isForeign($0) } ?? false
    }

    // MARK: - Moving

    /// Prepares a move to another machine: announces its address to the group's laptops, and makes a backup with the
    /// server's key. The server goes on meanwhile.
    ///
    /// - Parameters:
    ///   - address: The new server's address, or `auto` to end a move.
    ///   - isConfirmed: Whether to end a move even if the server ended here, and so may run elsewhere.
    /// - Returns: The path of the backup; nil if a move was ended.
    package func prepareMove(
        to address: String, isConfirmed: Bool = false
    ) throws(SharingFailure) -> String? {
        guard let record = try loadRecord(), server.isMade else { throw .notShared }
        let program = try serverProgram()
        let isEnd = OwnAddresses.areNamed(in: [address])
        if !isEnd {
            try check(address)
        } else if !isConfirmed, record.isAway, !server.isRunning {
            throw .mayHaveMoved
        }
        let backup = "\(home.data)/server.backup"
        do throws(SystemError) { try WholeFile.remove(backup) } catch { throw .system(error) }
        let own = ownAddress(record.port)
        guard !isEnd else {
            try setAddresses([own], program)
            try store(SharedServer.Record(port: record.port, isOn: record.isOn))
            return nil
        }
        do throws(SharingFailure) {
            // The backup names only the new server. Until that answers, invites name this laptop too.
            try setAddresses([address], program)
            try run([program, "backup", backup, "--data", server.data])
            try setAddresses([address, own], program)
            // Last, because a backup without this is only a file. The server may have ended meanwhile.
            let isOn = try loadRecord()?.isOn ?? record.isOn
            try store(SharedServer.Record(port: record.port, isOn: isOn, isMoving: true))
        } catch {
            try? WholeFile.remove(backup)
            // An earlier move goes on.
            try? setAddresses(record.isMoving ? [address, own] : [own], program)
            throw error
        }
        return backup
    }

    /// Throws if other laptops can't reach the address.
    private func check(_ address: String) throws(SharingFailure) {
        let host = Address(address)?.host ?? address
        switch programs.reach(host) {
        case .nobody(let reason): throw .unknownHost(reason)
        case .thisMachine: throw .ownHost(host)
        case .others: break
        }
    }

    private func ownAddress(_ port: UInt16) -> String {
        port == Address.defaultPort ? OwnAddresses.word : "\(OwnAddresses.word):\(port)"
    }

    /// Makes the server if there is none, and sets the addresses that its invites name.
    private func setAddresses(_ addresses: [String], _ program: String) throws(SharingFailure) {
        try run(
            [program, "init"] + addresses.flatMap { ["--address", $0] } + ["--data", server.data])
    }

    // MARK: - Files and programs

    private func store(_ record: SharedServer.Record) throws(SharingFailure) {
        do throws(SystemError) { try server.store(record) } catch { throw .system(error) }
    }

    /// Runs a program that has to succeed, and returns its output.
    @discardableResult
    private func run(_ words: [String]) throws(SharingFailure) -> String {
        let result: ProgramResult
        do throws(SystemError) { result = try programs.run(words) } catch { throw .system(error) }
        guard result.status == 0 else {
            throw .failed(command: words.joined(separator: " "), result)
        }
        return result.text
    }
}
