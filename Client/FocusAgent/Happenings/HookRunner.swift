import FocusCore
import FocusNet

/// Runs hooks, a few at a time and each for so long at most, and says in the agent's log what went wrong.
///
/// It lives on the loop's thread and waits for none of them.
final class HookRunner {
    private let folder: String
    private let loop: EventLoop
    private let say: (String) -> Void
    private var running: [ObjectIdentifier: ChildProcess] = [:]
    private var waiting: [(Hook, [String: String])] = []

    /// How long a hook may run.
    private static let patience = Duration.seconds(10)
    /// How long one has that was told to end.
    private static let grace = Duration.seconds(2)
    private static let most = 4
    private static let longestQueue = 64

    init(folder: String, on loop: EventLoop, say: @escaping (String) -> Void) {
        self.folder = folder
        self.loop = loop
        self.say = say
    }

    /// Runs the hook for something that has happened, where there is one.
    func run(_ happening: Happening, device: String, at now: SharedInstant) {
        do throws(Hook.Refusal) {
            guard let hook = try Hook(for: happening.kind, in: folder) else { return }
            guard waiting.count < HookRunner.longestQueue else {
                return say("hook \(happening.kind.rawValue): not run, as too many others wait")
            }
            waiting.append((hook, happening.variables(device: device, at: now)))
            startNext()
        } catch {
            say("hook \(happening.kind.rawValue): not run: \(error.reason)")
        }
    }

    private func startNext() {
        guard running.count < HookRunner.most, !waiting.isEmpty else { return }
        let (hook, variables) = waiting.removeFirst()
        do throws(NetError) {
            try start(hook, variables)
        } catch {
            // The file is there and may be run (`Hook`), so mostly what it names isn't.
            say(
                "hook \(hook.path): \(error.context). Its first line has to name a program, as #!/bin/sh does"
            )
            startNext()
        }
    }

    private func start(_ hook: Hook, _ variables: [String: String]) throws(NetError) {
        var id: ObjectIdentifier?
        var limit: LoopTimer?
        let process = try ChildProcess(
            HookLimit.words(for: hook.path), adding: variables, in: Hook.workplace, on: loop
        ) {
            [weak self] end in
            limit?.cancel()
            if let id { self?.running[id] = nil }
            if end != .exited(0) { self?.say("hook \(hook.path): \(end)\(HookLimit.hint(end))") }
            self?.startNext()
        }
        id = ObjectIdentifier(process)
        running[ObjectIdentifier(process)] = process
        limit = loop.schedule(after: HookRunner.patience) { [weak self, weak process] in
            let seconds = HookRunner.patience.components.seconds
            self?.say("hook \(hook.path): took longer than \(seconds) s, and was ended")
            process?.signal(15)
            limit = self?.loop.schedule(after: HookRunner.grace) { process?.signal(9) }
        }
    }
}
