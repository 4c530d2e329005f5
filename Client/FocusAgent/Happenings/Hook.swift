package import FocusContact
package import FocusCore
import FocusFront
import FocusNet
import SystemKit

/// A program of the person's that runs when something happens (`focus-hooks`(7)).
package struct Hook {
    let path: String

    /// The hook in a folder for this kind of happening, or nil if there is none.
    ///
    /// - Throws: `HookRefusal` if it isn't a regular file, another user can change it, or it can't be run.
    package init?(for kind: Happening.Kind, in folder: String) throws(HookRefusal) {
        path = "\(folder)/\(kind.rawValue)"
        var (parent, file) = (stat(), stat())
        guard stat(folder, &parent) == 0, stat(path, &file) == 0 else { return nil }
        guard file.st_mode & S_IFMT == S_IFREG else { throw .noFile(path) }
        for (name, status) in [(folder, parent), (path, file)] {
            guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
                throw .changeable(name)
            }
        }
        guard access(path, X_OK) == 0 else { throw .notExecutable(path) }
    }

    /// The working directory of hooks: the person's home, or the root folder if that can't be entered.
    static var workplace: String {
        guard let home = Environment.process.home, home.hasPrefix("/"), access(home, X_OK) == 0 else {
            return "/"
        }
        return home
    }
}

/// Runs hooks, a few at a time and each with a time limit. Reports failures to the agent's log.
///
/// It lives on the loop's thread and never waits for a hook.
final class HookRunner {
    private let folder: String
    private let loop: EventLoop
    private let say: (HookTrouble) -> Void
    private var running: [ObjectIdentifier: ChildProcess] = [:]
    private var waiting: [(Hook, [String: String])] = []

    /// The time that a hook may run.
    private static let patience = Duration.seconds(10)
    /// The time from the signal to end until a hook is killed.
    private static let grace = Duration.seconds(2)
    /// The most hooks that run at once.
    private static let most = 4
    /// The most hooks that wait. Further ones don't run.
    private static let longestQueue = 64

    init(folder: String, on loop: EventLoop, say: @escaping (HookTrouble) -> Void) {
        self.folder = folder
        self.loop = loop
        self.say = say
    }

    /// Runs the hook for a happening, if there is one.
    func run(_ happening: Happening, device: String, at now: SharedInstant) {
        do throws(HookRefusal) {
            guard let hook = try Hook(for: happening.kind, in: folder) else { return }
            guard waiting.count < HookRunner.longestQueue else {
                return say(.crowdedOut(happening.kind))
            }
            waiting.append((hook, happening.variables(device: device, at: now)))
            startNext()
        } catch {
            say(.refused(happening.kind, error))
        }
    }

    private func startNext() {
        guard running.count < HookRunner.most, !waiting.isEmpty else { return }
        let (hook, variables) = waiting.removeFirst()
        do throws(NetError) {
            try start(hook, variables)
        } catch {
            say(.notStarted(path: hook.path, error))
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
            if end != .exited(0) { self?.say(.ended(path: hook.path, end)) }
            self?.startNext()
        }
        id = ObjectIdentifier(process)
        running[ObjectIdentifier(process)] = process
        limit = loop.schedule(after: HookRunner.patience) { [weak self, weak process] in
            self?.say(.tookTooLong(path: hook.path, HookRunner.patience))
            // SIGTERM, and later SIGKILL. Both go to the process group, so also to a hook under `timeout`.
            process?.signal(15)
            limit = self?.loop.schedule(after: HookRunner.grace) { process?.signal(9) }
        }
    }
}

/// A hook's second time limit, which holds even if the agent ends meanwhile. `timeout` of coreutils enforces
/// it, if the system has that program. While the agent runs, its own limit ends the hook a little earlier,
/// and the agent logs that.
enum HookLimit {
    /// The time that the hook may run: longer than the agent's own limit.
    private static let patience = Duration.seconds(11)
    /// The time from the signal to end until the hook is killed.
    private static let grace = Duration.seconds(2)

    /// Returns the command that runs the hook at `path`.
    static func words(for path: String) -> [String] {
        guard let timeout else { return [path] }
        return [timeout, "-k", "\(grace.inSeconds)", "\(patience.inSeconds)", path]
    }

    /// The path of `timeout`. It isn't looked up in PATH, which the person may have changed.
    private static let timeout = ["/usr/bin/timeout", "/bin/timeout"].first { (path: String) in
        access(path, X_OK) == 0
    }
}
