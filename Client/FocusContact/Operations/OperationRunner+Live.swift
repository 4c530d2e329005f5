package import FocusDevice
package import FocusLink
import FocusNet
import Synchronization

extension OperationRunner {
    /// Runs a group operation over TLS on its own event loop, and waits for its end.
    ///
    /// - Parameters:
    ///   - patience: The longest time that the operation may take.
    ///   - open: Opens the laptop's log, on the operation's thread.
    ///   - cancellation: The handle with which another thread may cancel the operation.
    ///   - receiveNotices: Receives the notices for a person, even if the operation fails.
    /// - Throws: `GroupOperationError`, also if no loop can be made.
    package static func wait(
        for operation: GroupOperation, within patience: Duration,
        opening open: @escaping @Sendable () throws(DeviceFailure) -> Device,
        cancellation: Cancellation? = nil, receiveNotices: ([SyncNotice]) -> Void = { _ in }
    ) throws(GroupOperationError) -> GroupOperationResult {
        let loop: EventLoop
        do throws(NetError) { loop = try EventLoop() } catch { throw GroupOperationError(.other("\(error)")) }
        let answer = Answer()
        let current = CurrentRunner()
        loop.run {
            let report: (Result<GroupOperationResult, GroupOperationError>) -> Void = { result in
                let notices = current.runner?.notices ?? []
                answer.value.withLock { $0 = (result, notices) }
                loop.stop()
            }
            do throws(DeviceFailure) {
                let device = try open()
                let runner = OperationRunner(
                    device, by: Credentials.routes(of: device, on: loop),
                    time: LoopTime(loop),
                    report: report)
                current.runner = runner
                runner.run(operation, within: patience)
            } catch {
                report(.failure(GroupOperationError(.device(error))))
            }
        }
        // The loop runs its closures in order, so it cancels the operation only after that has begun.
        cancellation?.setHandler { loop.run { current.runner?.giveUp() } }
        defer { cancellation?.setHandler(nil) }
        loop.wait()
        let (result, notices) = answer.value.withLock { $0 }
        receiveNotices(notices)
        return try result.get()
    }

    /// A weak reference to the runner of the operation.
    private final class CurrentRunner: @unchecked Sendable {
        // Unchecked, because only the operation's loop uses it.
        weak var runner: OperationRunner?
    }

    /// The result and the notices, from the operation's thread to the caller's.
    private final class Answer: Sendable {
        let value = Mutex<(Result<GroupOperationResult, GroupOperationError>, [SyncNotice])>(
            (.failure(GroupOperationError(.timedOut)), []))
    }
}

/// A handle with which any thread can cancel a group operation that another thread waits for.
package final class Cancellation: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isGivenUp = false
        var handler: (@Sendable () -> Void)?
    }

    /// Makes a handle that isn't cancelled.
    package init() {}

    /// Cancels the operation, now or as soon as it begins. Does nothing if the operation is over.
    package func giveUp() {
        let handler = state.withLock { state in
            state.isGivenUp = true
            return state.handler
        }
        handler?()
    }

    /// Sets the closure that cancels the operation; nil once the operation is over. If the handle is already
    /// cancelled, calls the closure at once.
    package func setHandler(_ handler: (@Sendable () -> Void)?) {
        let isGivenUp = state.withLock { state in
            state.handler = handler
            return state.isGivenUp
        }
        if isGivenUp { handler?() }
    }
}
