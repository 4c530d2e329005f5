package import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
package import FocusServerStore
import PostgreSQLKit
import SQLiteKit
import SystemKit

extension FocusdProgram {
    /// The output for data and messages: standard output and standard error, or a test's closures.
    package struct Console: Sendable {
        /// Writes data. Throws if it can't be written.
        let data: @Sendable (String) throws -> Void
        let messages: @Sendable (String) -> Void
        /// Returns a person's answer to a question, or nil if nobody is there to answer.
        let ask: @Sendable (String) -> String?

        /// A console that replaces characters which would garble a terminal (`TerminalText`).
        ///
        /// - Parameters:
        ///   - data: Writes the requested data; throws if it can't.
        ///   - messages: Writes other messages.
        ///   - ask: Asks a person a question; returns nil if nobody is there to answer.
        package init(
            data: @escaping @Sendable (String) throws -> Void,
            messages: @escaping @Sendable (String) -> Void,
            ask: @escaping @Sendable (String) -> String? = { _ in nil }
        ) {
            self.data = { try data(TerminalText.data($0)) }
            self.messages = { messages(TerminalText.message($0)) }
            self.ask = { ask(TerminalText.message($0)) }
        }

        /// The console of this process.
        package static let process = Console(
            data: { try FileDescriptor.standardOutput.write($0) },
            // If messages can't be written either, the error can't be reported.
            messages: { try? FileDescriptor.standardError.write(wrapped($0)) },
            ask: { question in
                guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
                try? FileDescriptor.standardError.write(wrapped("\(question) "))
                // The end of input counts as an empty answer, which means no.
                return readLine() ?? ""
            })
    }

    /// Returns a message wrapped to the width of the terminal at standard error.
    private static func wrapped(_ text: String) -> String {
        TextLayout.message(text, width: FileDescriptor.standardError.terminalColumns)
    }

    /// Runs the command in the words after the program's name, reports errors, and returns the exit status.
    package static func run(_ arguments: [String], _ console: Console) async -> ExitStatus {
        do {
            switch try table.parse(arguments, columns: FileDescriptor.standardOutput.terminalColumns) {
            case .show(let text): try console.data(text)
            case .run(let request): try await perform(request, console)
            }
            return .done
        } catch let error as UsageError {
            console.messages("focusd: \(error.message)\n\(error.hint)\n")
            return .usage
        } catch let error as NetError {
            console.messages("focusd: \(error.sentence)\n")
            return .failed
        } catch {
            let failure = CommandFailure.about(error)
            console.messages("focusd: \(failure.message)\n")
            return failure.status
        }
    }

    /// Runs the command in this process's arguments, then ends the process.
    package static func main() async -> Never {
        // Ignored so that a file at its size limit (`ulimit -f`) produces an error message instead of a
        // silent end.
        signal(SIGXFSZ, SIG_IGN)
        exit(await run(ProgramWords.arguments, .process).rawValue)
    }

    private static func perform(_ request: Request, _ console: Console) async throws {
        switch request {
        case .shell(let request): try console.data(answer(request))
        case .server(let invocation, let data):
            var folder = try data.map(DataFolder.init(path:)) ?? DataFolder(environment: .process)
            if invocation.needsServer { folder = folder.withServer() } else { try folder.requireIntended() }
            if invocation.needsStore {
                folder.place = try EffectiveSettings.storePlace(
                    in: folder, environment: variable, options: invocation.settingOptions)
            }
            do {
                try await perform(invocation, folder, console)
            } catch let error as SQLiteError {
                throw CommandFailure(error, folder)
            } catch let error as SchemaError {
                throw CommandFailure(error, folder)
            } catch let error as UpgradeError {
                throw CommandFailure(error, folder)
            } catch let error as PostgreSQLError {
                throw CommandFailure(error, folder)
            } catch let error as PostgreSQLSchemaError {
                throw CommandFailure(error, folder)
            }
        }
    }

    private static func perform(
        _ invocation: FocusdInvocation, _ folder: DataFolder, _ console: Console
    ) async throws {
        func opened() throws -> DataFolder {
            let folder = try folder.initialised()
            try folder.upgradeStore { console.messages(folder.sentence(on: $0)) }
            return folder
        }
        switch invocation {
        case .initialise(let addresses): try InitCommand(addresses: addresses).run(folder, console)
        case .serve(let acceptClock, let options):
            let folder = try folder.initialised()
            let settings = try effective(options, in: folder).values
            try await ServeCommand(
                settings: settings, acceptsClock: acceptClock,
                supervision: Supervision(environment: variable, process: getpid())
            )
            .run(folder, console)
        case .config(let json, let options):
            try ConfigCommand(settings: effective(options, in: folder)).run(json: json, folder, console)
        case .invite(let lifetime): try OperatorInviteCommand(lifetime: lifetime).run(opened(), console)
        case .groups(let json): try Listing(opened()).groups(json: json, console)
        case .deleteGroup(let id, let isSure):
            try DeleteGroupCommand(id: id, isSure: isSure).run(opened(), console)
        case .renameGroup(let id, let name):
            try OperatorRenameCommand(id: id, name: name).renameGroup(opened(), console)
        case .setQuota(let id, let change): try QuotaCommand(id: id, change: change).run(opened(), console)
        case .devices(let json): try Listing(opened()).devices(json: json, console)
        case .renameDevice(let id, let name):
            try OperatorRenameCommand(id: id, name: name).renameDevice(opened(), console)
        case .revokeDevice(let id): try OperatorRevokeCommand(id: id).run(opened(), console)
        case .status(let json): try Listing(opened()).status(json: json, console)
        case .rekey(let json): try RekeyCommand(json: json).run(opened(), console)
        case .finishRekey(let isSure): try FinishRekeyCommand(isSure: isSure).run(opened(), console)
        case .cancelRekey: try CancelRekeyCommand().run(opened(), console)
        case .clock(let json): try ClockCommand(json: json).run(opened(), console)
        case .acceptClock: try AcceptClockCommand().run(opened(), console)
        case .backup(let path): try BackupCommand(path: path).run(opened(), console)
        case .restore(let path, let isReplacing):
            try RestoreCommand(path: path, isReplacing: isReplacing).run(folder, console)
        case .verify(let path, let json):
            try VerifyCommand(path: path, json: json).run(path == nil ? opened() : folder, console)
        case .migrate(let source, let target):
            try MigrateCommand(source: source, target: target).run(folder, console)
        }
    }

    private static func effective(
        _ options: SettingOptions, in folder: DataFolder
    ) throws(CommandFailure) -> EffectiveSettings {
        try EffectiveSettings(in: folder, environment: variable, options: options)
    }

    /// Returns the value of an environment variable, or nil if it isn't set.
    private static func variable(_ name: String) -> String? { Environment.process[name] }
}

/// A command of `focusd` with its arguments.
package enum FocusdInvocation: Hashable, Sendable {
    case initialise(addresses: [String])
    case serve(acceptClock: Bool, options: SettingOptions)
    case config(json: Bool, options: SettingOptions)
    case invite(expires: Duration)
    case groups(json: Bool)
    /// `isSure`: whether to skip the confirmation.
    case deleteGroup(String, isSure: Bool)
    case renameGroup(String, String)
    case setQuota(String, QuotaChange)
    case devices(json: Bool)
    case renameDevice(String, String)
    case revokeDevice(String)
    case status(json: Bool)
    case rekey(json: Bool)
    /// `isSure`: whether to skip the confirmation.
    case finishRekey(isSure: Bool)
    case cancelRekey
    case clock(json: Bool)
    case acceptClock
    case backup(to: String)
    case restore(from: String, isReplacing: Bool)
    /// Checks the store or, if a path is given, the backup at that path.
    case verify(String?, json: Bool)
    case migrate(from: StoreLocation, to: StoreLocation)
}

extension FocusdInvocation {
    /// Whether the command is for a server that exists. If its folder has none, it may find the service's
    /// server (`DataFolder.withServer`). A command that makes or starts a server then asks for a folder.
    fileprivate var needsServer: Bool {
        switch self {
        case .initialise, .serve, .restore: false
        default: true
        }
    }

    /// The settings among the command's options.
    fileprivate var settingOptions: SettingOptions {
        switch self {
        case .serve(_, let options), .config(_, let options): options
        default: [:]
        }
    }

    /// Whether the command needs the place of the store from the settings. `config` reads the settings by
    /// itself, `migrate` names both places, and `verify` of a backup reads only the backup.
    fileprivate var needsStore: Bool {
        switch self {
        case .config, .migrate, .verify(.some, _): false
        default: true
        }
    }
}

/// A change of a group's quota.
package struct QuotaChange: Hashable, Sendable {
    /// A new limit of the group.
    package enum Value: Hashable, Sendable {
        /// No limit of its own: the limit in the settings applies.
        case standard
        case number(Int)
    }

    // Nil means no change.
    let events: Value?
    let bytes: Value?
    let devices: Value?
}

/// A request on the command line.
package enum Request: Hashable, Sendable {
    /// A command for the server in this data folder; nil means the default folder.
    case server(FocusdInvocation, data: String?)
    case shell(ShellRequest)
}

extension FocusdProgram {
    /// The pages of the manual.
    static let pages = [FocusdManual.page, SettingsManual.page]

    /// Returns the answer to a request from a shell or a package.
    static func answer(_ request: ShellRequest) throws(CommandFailure) -> String {
        let release = Release(name: "Lockstep \(Lockstep.version)", date: Lockstep.date)
        return try table.answer(request, release: release, pages: pages) { _ in [] }
    }
}
