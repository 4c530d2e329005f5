import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusSync
import SystemKit

/// Keeps the server of `focus share` running if systemd doesn't, and limits the length of its log. It belongs
/// to the agent's thread.
final class SharedServerKeeper {
    private let sharing: ServerSharing
    private let time: any Scheduler
    private var dice: any RandomNumberGenerator
    /// Returns whether a process has ended, and makes the system forget it then.
    private let hasEnded: (Int32) -> Bool
    private let log: (AgentLogEvent) -> Void
    private let trimmer: LogTrimmer
    /// The process that was started last, until it has ended.
    private var process: Int32?
    /// The instant of the last start.
    private var start = SteadyInstant.zero
    /// The waits after servers that ended soon.
    private var backoff = Backoff()
    /// The instant before which the server isn't started again.
    private var retry = SteadyInstant.zero
    /// The failure that was logged last.
    private var failure: SharingFailure?

    /// A server that runs this long has started well.
    private static let trial = Duration.seconds(60)

    init(
        _ sharing: ServerSharing, time: any Scheduler, dice: any RandomNumberGenerator,
        hasEnded: @escaping (Int32) -> Bool = SharedServerKeeper.reap,
        log: @escaping (AgentLogEvent) -> Void
    ) {
        self.sharing = sharing
        self.time = time
        self.dice = dice
        self.hasEnded = hasEnded
        self.log = log
        trimmer = LogTrimmer(path: sharing.server.log)
    }

    /// Starts the server if it should run and doesn't. If it ended soon after its last start, waits first.
    func check() {
        trimmer.trimInPlace()
        removeEnded()
        guard process == nil, time.now() >= retry, sharing.needsStart else { return }
        do throws(SharingFailure) {
            let started = try sharing.startInBackground()
            process = started
            start = time.now()
            failure = nil
            log(.startedServer(process: started))
        } catch {
            if error != failure { log(.cannotStartServer(error)) }
            failure = error
        }
    }

    private func removeEnded() {
        guard let process, hasEnded(process) else { return }
        self.process = nil
        guard time.now() - start < SharedServerKeeper.trial, sharing.needsStart else {
            return backoff.reset()
        }
        retry = time.now() + backoff.next(after: .zero, using: &dice)
        log(.serverEndedSoon(messages: sharing.server.log))
    }

    /// Whether a process has ended. If so, the system forgets it.
    private static func reap(_ process: Int32) -> Bool {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) != 0
    }
}
