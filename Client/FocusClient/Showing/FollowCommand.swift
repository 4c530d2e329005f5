import CommandLineKit
import FocusAgent
import FocusFront
import FocusNet
import SystemKit

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
                if (try? loop.watch(path: "/proc/self/fd/1", for: .hangUp, { end(nil) })) == nil {
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
