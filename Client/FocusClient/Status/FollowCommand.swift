import CommandLineKit
import FocusNet

/// `focus status --follow`: a line at each change and, while a session runs, at each second.
struct FollowCommand {
    let form: StatusForm

    /// Prints until nobody reads standard output any more.
    func run(in context: CommandContext) throws(CommandFailure) {
        try ModelLoop.run(in: context) { model, loop, end in
            // Where standard output is a file, it is read to no end.
            _ = try? loop.watch(path: "/proc/self/fd/1", for: .hangUp) { end(nil) }
            var shown = ""
            return {
                if let failure = model.failure { return end(failure) }
                let text = model.status.text(form, context.console.paint)
                guard text != shown else { return }
                shown = text
                do throws(CommandFailure) { try context.print("\(text)\n") } catch { end(error) }
            }
        }
    }
}
