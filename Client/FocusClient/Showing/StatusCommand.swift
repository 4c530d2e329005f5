import CommandLineKit
import FocusContact
import FocusCore
package import FocusDevice
import FocusFront
import FocusLink
import FocusNet
import FocusStore
import FocusText
import SystemKit

/// `focus status`: prints the state that every laptop shows now. It runs often, in bars and prompts, so it
/// does as little as possible.
struct StatusCommand {
    let form: OutputFormat

    /// Prints the state once.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let status: DeviceStatus
        var troubles: [Trouble] = []
        if let device {
            (status, troubles) = try device.using { device throws(StoreError) in
                try device.statusAndTroubles(form.needsTroubles)
            }
        } else {
            status = DeviceStatus(withoutLog: context.machine.platform)
        }
        let text = status.text(form, troubles, in: context)
        try context.print("\(text)\n")
        guard form == .line else { return }
        context.console.report(status, troubles)
        if status.isCutOff, let device,
            let sentence = SharedServer(device.home).unreachableSentence((try? Membership(device))?.server)
        {
            context.console.report(sentence)
        }
    }
}

extension Device {
    /// Returns the laptop's status and troubles, both from one snapshot of its log.
    ///
    /// - Parameter wantsTroubles: Whether to look for troubles. If not, none are returned.
    func statusAndTroubles(_ wantsTroubles: Bool = true) throws(StoreError) -> (DeviceStatus, [Trouble]) {
        try store.reading { () throws(StoreError) in
            let status = try DeviceStatus(self)
            let troubles = wantsTroubles ? try self.troubles(status.state, at: status.now) : []
            return (status, troubles)
        }
    }
}

extension Console {
    /// Prints the open question, a sentence if the laptop is offline, and the troubles.
    func report(_ status: DeviceStatus, _ troubles: [Trouble]) {
        if let question = status.question { report("\(question.sentence()) \(AbsenceQuestion.commands)") }
        if let offline = ViewText.offline(status) { report(offline) }
        report(troubles)
    }
}

/// `focus status --follow`: prints a line at each change and, while a session runs, each second.
struct FollowCommand {
    let form: OutputFormat

    /// Prints until nobody reads standard output any more.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard form == .bar(.i3blocks), BarClicks.areSent(in: context.environment) else {
            return try follow(in: context)
        }
        // A click is a press, so the agent must be told. That may take long, so a worker thread does it.
        try runView { () throws in
            try ModelLoop.withWorker(announcingBy: context.announceChanges) { _, announceChanges in
                try follow(in: context, announceChanges: announceChanges, takesClicks: true)
            }
        }
    }

    private func follow(
        in context: CommandContext, announceChanges: @escaping @Sendable () -> Void = {},
        takesClicks: Bool = false
    ) throws(CommandFailure) {
        try runView { () throws in
            try ModelLoop.run(opening: context.openDevice, announceChanges: announceChanges) {
                model, loop, _, end in
                // If standard output can't be watched, it is polled. This is the case for a file, which has
                // no reader to hang up, and for a socket (tmux), which can't be opened again.
                if (try? loop.watch(path: path(ofDescriptor: STDOUT_FILENO), for: .hangUp, { end(nil) }))
                    == nil
                {
                    loop.schedule(every: .seconds(5)) { if !FileDescriptor.isOutputRead { end(nil) } }
                }
                let clicks = takesClicks ? BarClicks(for: model, on: loop, context.console) : nil
                var shown = ""
                return {
                    // The closure holds `clicks`, which reads clicks only while something holds it.
                    _ = clicks
                    if let failure = model.failure { return end(failure) }
                    let (device, status) = (model.device, model.status)
                    let troubles =
                        form.needsTroubles ? try? device.troubles(status.state, at: status.now) : nil
                    let text = status.text(form, troubles ?? [], in: context)
                    guard text != shown else { return }
                    shown = text
                    do throws(CommandFailure) { try context.print("\(form.separator)\(text)\n") } catch {
                        end(error)
                    }
                }
            }
        }
    }
}

extension DeviceStatus {
    /// Returns the status in this form.
    package func text(_ form: OutputFormat, _ troubles: [Trouble], in context: CommandContext) -> String {
        switch form {
        case .line:
            StatusView(state, at: now, by: .current).line(context.console.paint, press: recentPress)
        case .json: json.description
        case .format(let format):
            format.text(
                StatusView(state, at: now, by: .current),
                StatusTemplate.Group(
                    online: shownOnlineNames, pending: pending, press: recentPress,
                    trouble: ViewText.trouble(self, troubles), question: question))
        case .bar(let bar):
            BarFrame(self, troubles, program: context.programs.programPath()).text(for: bar)
        }
    }
}
