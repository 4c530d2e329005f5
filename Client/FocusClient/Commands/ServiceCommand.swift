import CommandLineKit
import FocusDevice
import FocusFront
import SystemKit

/// `focus agent install`: makes the system run the agent from login on, or undoes that (`--uninstall`).
struct ServiceCommand {
    let request: ServiceRequest

    func run(in context: CommandContext) throws(CommandFailure) {
        let home = try mapFailure { () throws(DeviceFailure) in try Home(context.environment) }
        let service = try AgentService(
            context.programs.manager, program: context.programs.programPath(), home: home, context.environment
        )
        switch request {
        case .install: try install(service, context)
        case .uninstall: try uninstall(service, context)
        }
    }

    private func install(_ service: AgentService, _ context: CommandContext) throws(CommandFailure) {
        // Running the question fails if the service manager's program isn't there. If the manager can't
        // be reached, the question ends with another status than 0.
        let answer: ProgramResult
        do throws(SystemError) {
            answer = try context.programs.run(service.question)
        } catch {
            throw CommandFailure(
                "There is no \(service.managerName) here, so nothing was installed (\(error)). Commands start the "
                    + "agent by themselves. To start it at each login, have your session run: "
                    + "\(ShellWord.quoted(service.program)) agent run")
        }
        try requireOurs(service)
        do throws(SystemError) {
            try WholeFile.replace(service.path, with: service.text, mode: 0o644)
        } catch {
            throw CommandFailure(error)
        }
        guard answer.status == 0 else {
            throw CommandFailure(
                "\(service.path) is written, but \(service.managerName) can't be reached for this user, so it "
                    + "isn't enabled: \(answer.sentence) To enable it, run this in a session of yours: "
                    + "\(service.enablingWords). Until then commands start the agent by themselves. To undo it: "
                    + "focus agent install --uninstall")
        }
        try perform(service.enabling, "\(service.path) is written, but", context)
        try context.print(
            context.console.prose(
                """
                Wrote \(service.path).
                The agent runs now, and from each login on. To undo that: focus agent install --uninstall

                """))
    }

    private func uninstall(_ service: AgentService, _ context: CommandContext) throws(CommandFailure) {
        guard access(service.path, F_OK) == 0 else {
            throw CommandFailure("Nothing is installed: there is no \(service.path).", .notNow)
        }
        try requireOurs(service)
        // If the service manager can't be reached, it doesn't run the agent, so there is nothing to stop.
        let isReachable = (try? context.programs.run(service.question).status == 0) ?? false
        if isReachable { try perform(service.disabling, "Nothing was removed:", context) }
        do throws(SystemError) {
            try WholeFile.remove(service.path)
        } catch {
            throw CommandFailure(error)
        }
        if isReachable { try perform(service.reloading, "\(service.path) is removed, but", context) }
        try context.print(
            context.console.prose(
                """
                Removed \(service.path).
                Commands start the agent by themselves, unless FOCUS_NO_AGENT is set.

                """))
    }

    /// Throws if the service's file exists and another program wrote it, so that the file isn't changed.
    private func requireOurs(_ service: AgentService) throws(CommandFailure) {
        guard access(service.path, F_OK) == 0 else { return }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: service.path)
        } catch {
            throw CommandFailure(error)
        }
        guard String(decoding: bytes, as: UTF8.self).contains(AgentService.identifyingText) else {
            throw CommandFailure(
                "\(service.path) was not written by 'focus agent install', so it was left as it is. Move it away first."
            )
        }
    }

    /// Runs the steps in order, and throws if one fails that may not fail.
    ///
    /// - Parameter beginning: The first words of the error.
    private func perform(
        _ steps: [AgentService.Step], _ beginning: String, _ context: CommandContext
    ) throws(CommandFailure) {
        for step in steps {
            let words = step.words.map(ShellWord.quoted).joined(separator: " ")
            let end: ProgramResult
            do throws(SystemError) {
                end = try context.programs.run(step.words)
            } catch {
                if step.mayFail { continue }
                throw CommandFailure("\(beginning) '\(words)' can't be run: \(error).")
            }
            guard end.status == 0 || step.mayFail else {
                throw CommandFailure("\(beginning) '\(words)' failed: \(end.sentence)")
            }
        }
    }
}

/// A request to install or uninstall the agent as a service.
package enum ServiceRequest: Hashable, Sendable {
    case install
    case uninstall
}
