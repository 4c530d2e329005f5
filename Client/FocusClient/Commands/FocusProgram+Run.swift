package import CommandLineKit
import Glibc

extension FocusProgram {
    /// Does what the words after the program's name ask for, and says what came of it.
    package static func run(_ arguments: [String], in context: CommandContext) async -> ExitStatus {
        do throws(UsageError) {
            let request = try table.parse(arguments)
            return await carryOut(request, in: context)
        } catch {
            context.console.say("\(error.message)\n\(error.hint)")
            return .usage
        }
    }

    private static func carryOut(
        _ request: Program<Invocation>.Request, in context: CommandContext
    ) async -> ExitStatus {
        do throws(CommandFailure) {
            switch request {
            case .show(let text): try context.print(text)
            case .run(let invocation): try await carryOut(invocation, in: context)
            }
            return .done
        } catch {
            context.console.say(error.message)
            return error.status
        }
    }

    private static func carryOut(
        _ invocation: Invocation, in context: CommandContext
    ) async throws(CommandFailure) {
        switch invocation {
        case .replay(let request): try ReplayCommand(request: request).run(in: context)
        case .press, .add, .label, .undo, .redo, .set, .status, .log, .devices, .renameDevice, .revokeDevice,
            .invite, .join, .leave, .sync, .export, .importFile, .agent:
            throw CommandFailure("This build has only 'replay'.")
        }
    }
}

extension FocusProgram {
    /// Runs this process's words and ends the process.
    package static func main() async -> Never {
        exit(await run(Array(CommandLine.arguments.dropFirst()), in: .process).rawValue)
    }
}
