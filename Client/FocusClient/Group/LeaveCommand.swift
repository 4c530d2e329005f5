import CommandLineKit
import FocusDevice
import FocusStore
import FocusWords

/// `focus leave`: parts from the group, keeping a copy of its log that can be read.
struct LeaveCommand: WritingCommand {
    /// Whether nobody is to be asked.
    let isSure: Bool

    /// Asks whoever sits at a terminal; and once more where the server can't be told.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        try told { () throws(DeviceFailure) in try device.requireGroup() }
        let isLast = try device.using { device throws(StoreError) in try device.isLastOfGroup() }
        try consent(to: LeaveCommand.question(isLast: isLast), in: context)
        var othersKnow = false
        do throws(CommandFailure) {
            othersKnow = try context.network.part(in: context)
        } catch {
            try consent(to: "\(error.message) \(try unsent(device))Leave all the same?", in: context)
        }
        let name = try device.using { device throws(StoreError) in try device.name() }
        let copy = try told { () throws(DeviceFailure) in try device.leave() }
        context.console.say(
            """
            This laptop has left the group and starts anew, alone. A copy of the group's log is kept:
              FOCUS_HOME=\(ShellWord.quoted(copy.data)) focus log
            shows it.
            """)
        guard !othersKnow else { return }
        context.console.say(
            "The server couldn't be told, so the others go on listing this laptop until one of them shuts it out: "
                + "focus devices revoke \(ShellWord.quoted(name))")
    }

    private func consent(to question: String, in context: CommandContext) throws(CommandFailure) {
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure("This laptop stays in the group.", .notNow)
        }
    }

    /// What is asked before.
    ///
    /// - Parameter isLast: Whether the group has no other laptop.
    static func question(isLast: Bool) -> String {
        "Leave the group? This laptop starts anew, alone, and a copy of the group's log is kept here. "
            + (isLast
                ? "It is the last laptop of the group, so nobody can let it in again."
                : "To come back takes a new invite.")
    }

    /// What the others would never get.
    private func unsent(_ device: Device) throws(CommandFailure) -> String {
        let pending = try device.using { device throws(StoreError) in try device.store.pendingCount() }
        guard pending > 0 else { return "" }
        return "\(counted(pending, "change")) made here \(pending == 1 ? "hasn't" : "haven't") been sent. "
    }
}
