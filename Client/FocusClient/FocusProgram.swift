package import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import SystemKit

/// The command line of `focus`: its table of commands (docs/commands.md).
package enum FocusProgram {
    /// The table of commands for parsing and help.
    package static let table = Program(
        Command<FocusInvocation>(
            "focus", "one focus session on all your laptops",
            details: [
                "Without a command, on a terminal, it opens the full-screen view: the timer, the history, "
                    + "statistics, settings and devices. '?' lists its keys, 'q' leaves it. Elsewhere it prints "
                    + "what is running. Only 'share', 'join', 'invite' and 'sync' need the server."
            ],
            sections: [
                CommandSection(title: "The timer", TimerCommands.all),
                CommandSection(title: "What is and what was", ViewCommands.all),
                CommandSection(title: "Who shares this session", GroupCommands.all),
                CommandSection(title: "The log", LogCommands.all),
                CommandSection(title: "This laptop", LaptopCommands.all),
                .forShells { .shell($0) },
            ]
        ) { .view },
        version: Lockstep.version)
}

extension FocusProgram {
    /// Runs the command in `arguments`, which don't include the program's name, and prints its result.
    package static func run(_ arguments: [String], in context: CommandContext) -> ExitStatus {
        do throws(UsageError) {
            let request = try table.parse(arguments, columns: context.console.columns)
            return perform(request, in: context)
        } catch {
            context.console.report("\(error.message)\n\(error.hint)")
            return .usage
        }
    }

    private static func perform(
        _ request: Program<FocusInvocation>.Request, in context: CommandContext
    ) -> ExitStatus {
        do throws(CommandFailure) {
            switch request {
            case .show(let text): try context.print(text)
            case .run(let invocation):
                try perform(invocation, in: context)
                if let sentence = invocation.cutSentence { context.console.report(sentence) }
            }
            return .done
        } catch {
            for sentence in error.notes { context.console.report(sentence) }
            context.console.report(error.message)
            return error.status
        }
    }

    private static func perform(
        _ invocation: FocusInvocation, in context: CommandContext
    ) throws(CommandFailure) {
        switch invocation {
        case .press(let press, let ago):
            try write(PressCommand(interaction: press.interaction, ago: ago), context)
        case .start(let request, let ago):
            try write(StartCommand(request: request, ago: ago), context)
        case .add(let time, let ago):
            let seconds = time.components.seconds
            try write(PressCommand(interaction: .addTime(.seconds(seconds)), ago: ago), context)
        case .label(let text): try write(PressCommand(interaction: .label(text)), context)
        case .undo(let isConfirmed):
            try write(PressCommand(interaction: .undo, isConfirmed: isConfirmed), context)
        case .redo(let isConfirmed):
            try write(PressCommand(interaction: .redo, isConfirmed: isConfirmed), context)
        case .idle(.show): try ShowQuestionCommand().run(context.readDevice(), in: context)
        case .idle(.answer(let answer)): try write(AnswerCommand(answer: answer), context)
        case .idle(.begin(let ago)): try AbsenceCommand.began(ago: ago ?? .zero).runAndAnnounce(in: context)
        case .idle(.end): try AbsenceCommand.ended.runAndAnnounce(in: context)
        case .set(let requests, let json):
            let command = SetCommand(requests: requests)
            guard command.changesSomething else {
                return try command.show(context.readDevice(), json: json, in: context)
            }
            try write(command, context)
        case .profile(.list(let json)):
            try ListProfilesCommand(json: json).run(context.readDevice(), in: context)
        case .profile(let request): try write(ProfileCommand(request: request), context)
        case .view where context.console.hasScreen: try context.network.view(in: context)
        case .view: try StatusCommand(form: .line).run(context.readDevice(), in: context)
        case .status(let form, follow: false):
            try StatusCommand(form: form).run(context.readDevice(), in: context)
        case .status(let form, follow: true): try context.network.follow(form, in: context)
        case .web(let request): try context.network.web(request, in: context)
        case .exportPage(let folder, let server):
            try ExportPageCommand(folder: folder, server: server).run(in: context)
        case .log(let request): try LogCommand(request: request).run(context.readDevice(), in: context)
        case .addToLog(let request): try write(AddEntryCommand(request: request), context)
        case .relabel(let entry, let text): try write(RelabelEntryCommand(entry: entry, text: text), context)
        case .changeEntry(let entry, let change):
            try write(ChangeEntryCommand(entry: entry, change: change), context)
        case .removeFromLog(let entry): try write(RemoveEntryCommand(entry: entry), context)
        case .stats(let request): try StatsCommand(request: request).run(context.readDevice(), in: context)
        case .devices(let json): try DevicesCommand(json: json).run(context.readDevice(), in: context)
        case .renameDevice(let name): try write(RenameCommand(name: name), context)
        case .revokeDevices(let words, let others, let isSure):
            try RevokeCommand(words: words, others: others, isSure: isSure).run(in: context)
        case .readmitDevice(let word): try write(ReadmitCommand(word: word), context)
        case .acceptDevice(let name, let isSure):
            try AcceptCommand(name: name, isSure: isSure).run(in: context)
        case .invite(let showsCode): try InviteCommand(showsCode: showsCode).run(in: context)
        case .share(let request): try ShareCommand(request: request).run(in: context)
        case .join(let request): try JoinCommand(request: request).run(in: context)
        case .leave(let isSure): try write(LeaveCommand(isSure: isSure), context)
        case .sync(let json): try SyncCommand(json: json).run(in: context)
        case .export(let request): try ExportCommand(request: request).run(context.readDevice(), in: context)
        case .importFile(let request): try write(ImportCommand(request: request), context)
        case .replay(let request): try ReplayCommand(request: request).run(in: context)
        case .agent(let request): try context.network.agent(request, in: context)
        case .service(let request): try ServiceCommand(request: request).run(in: context)
        case .clock(accept: true): try write(BringBackCommand(), context)
        case .clock(accept: false): try ShowClockCommand().run(context.readDevice(), in: context)
        case .doctor(let json): try DoctorCommand(json: json).run(in: context)
        case .tryNotification: try NotifyCommand().run(in: context)
        case .shell(let request): try context.print(answer(request, in: context))
        }
    }

    /// Runs a command that changes the device's log, and announces the change to the other laptops.
    private static func write(
        _ command: some WritingCommand, _ context: CommandContext
    ) throws(CommandFailure) {
        let device = try command.runAndAnnounce(in: context)
        // The command has succeeded. If the status can't be read any more, nothing more is printed.
        guard let (status, troubles) = try? device.statusAndTroubles() else { return }
        context.console.report(status, troubles)
    }
}

/// A command that changes the device's log.
protocol WritingCommand {
    /// Performs the command, and prints the result.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure)
}

extension WritingCommand {
    /// Runs the command on this laptop's log, and announces the change to the other laptops.
    ///
    /// - Returns: The laptop's device.
    @discardableResult
    func runAndAnnounce(in context: CommandContext) throws(CommandFailure) -> Device {
        let device = try context.openDevice()
        try run(on: device, in: context)
        context.announceChanges(of: device)
        return device
    }
}

extension FocusProgram {
    /// Runs the command line of this process and ends the process.
    package static func main() -> Never {
        // Without this, a write beyond the file size limit (`ulimit -f`) would end the process. Now it
        // reports an error.
        signal(SIGXFSZ, SIG_IGN)
        exit(run(ProgramWords.arguments, in: .process).rawValue)
    }
}

extension CommandContext {
    /// The environment of this process.
    package static var process: CommandContext {
        CommandContext(
            machine: .process, console: .process(.process),
            open: { path throws(SystemError) in try FileDescriptor.bytes(of: path) },
            network: LiveCommandServices())
    }
}
