import CommandLineKit
import FocusAgent
import FocusDevice
import FocusFront
import FocusLink
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
        try consent(to: GroupQuestion.leave(isLast: isLast), in: context)
        var othersKnow = false
        do throws(CommandFailure) {
            othersKnow = try context.asked { errands throws(GroupFailure) in
                try reported { () throws(ErrandTrouble) in try errands.part() }
            }
        } catch {
            try consent(to: "\(error.message) \(try unsent(device))Leave all the same?", in: context)
        }
        for sentence in try device.leave(othersKnow: othersKnow) { context.console.say(sentence) }
    }

    private func consent(to question: String, in context: CommandContext) throws(CommandFailure) {
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure("This laptop stays in the group.", .notNow)
        }
    }
    /// What the others would never get.
    private func unsent(_ device: Device) throws(CommandFailure) -> String {
        let pending = try device.using { device throws(StoreError) in try device.store.pendingCount() }
        guard pending > 0 else { return "" }
        return "\(counted(pending, "change")) made here \(pending == 1 ? "hasn't" : "haven't") been sent. "
    }
}
