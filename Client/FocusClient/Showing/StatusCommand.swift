import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusNet
import FocusStore
import FocusText
import FocusWords
import SystemKit

/// `focus status`: what every laptop shows now. It runs often, in bars and prompts, and so does as little as
/// it can.
struct StatusCommand {
    let form: StatusForm

    /// Prints the state once.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let status: DeviceStatus
        var troubles: [Trouble] = []
        if let device {
            (status, troubles) = try device.using { device throws(StoreError) in
                try device.store.reading {
                    let status = try DeviceStatus(device)
                    // The other forms are for programs, which may ask each second.
                    let troubles = form == .line ? try device.troubles(status.state, at: status.now) : []
                    return (status, troubles)
                }
            }
        } else {
            status = DeviceStatus(withoutLog: context.machine)
        }
        let text = status.text(form, in: context)
        try context.print("\(text)\n")
        context.console.say(troubles)
    }
}

/// `focus status --follow`: a line at each change and, while a session runs, at each second.
struct FollowCommand {
    let form: StatusForm

    /// Prints until nobody reads standard output any more.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard form == .bar(.i3blocks), BarClicks.come(in: context.environment) else {
            return try follow(in: context)
        }
        try showing { () throws in
            try ModelLoop.withOthersTold(by: context.tellOthers) { _, tellOthers in
                try follow(in: context, tellOthers: tellOthers, takesClicks: true)
            }
        }
    }

    private func follow(
        in context: CommandContext, tellOthers: @escaping @Sendable () -> Void = {}, takesClicks: Bool = false
    ) throws(CommandFailure) {
        try showing { () throws in
            try ModelLoop.run(opening: context.openDevice, tellOthers: tellOthers) { model, loop, _, end in
                // Where standard output is a file, it is read to no end. A socket, as tmux gives, can't be opened anew.
                if (try? loop.watch(path: path(ofDescriptor: STDOUT_FILENO), for: .hangUp, { end(nil) }))
                    == nil
                {
                    loop.schedule(every: .seconds(5)) { if !FileDescriptor.isOutputRead { end(nil) } }
                }
                let clicks = takesClicks ? BarClicks(for: model, on: loop, context.console) : nil
                var shown = ""
                return {
                    _ = clicks
                    if let failure = model.failure { return end(failure) }
                    let text = model.status.text(form, in: context)
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
    /// What is shown of it, in this form, to somebody in this world.
    package func text(_ form: StatusForm, in context: CommandContext) -> String {
        switch form {
        case .line: StatusView(state, at: now).line(context.console.paint)
        case .json: json.description
        case .format(let format): format.text(StatusView(state, at: now))
        case .bar(let bar):
            BarFrame(
                presentation, state: TimerState(state, at: now).statusName, program: context.programs.own()
            ).text(for: bar)
        }
    }
}
