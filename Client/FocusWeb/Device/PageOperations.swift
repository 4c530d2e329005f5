import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusPage

/// The group operations that pages have asked for. One runs at a time, because there is one WebSocket.
final class PageOperations {
    private struct Pending {
        let operation: PageOperation
        let request: PageRequest
        let answer: (PageAnswer) -> Void
    }

    private let device: Device
    private let routes: ServerRoutesProvider
    private let time: any Scheduler
    private var waiting: [Pending] = []
    private var current: Pending?
    /// The runner of the current operation; nil if it asks nothing of the server.
    private var runner: OperationRunner?
    /// Called when an operation has begun to connect.
    var didBegin: () -> Void = {}
    /// Called when an operation is over, before it is answered. The value is whether it was about joining.
    var didEnd: (Bool) -> Void = { _ in }

    /// The operations of a device: none yet.
    init(_ device: Device, by routes: @escaping ServerRoutesProvider, time: any Scheduler) {
        self.device = device
        self.routes = routes
        self.time = time
    }

    /// Runs an operation after all that were asked for before.
    ///
    /// - Parameter answer: Receives the answer to the request, once.
    func run(
        _ operation: PageOperation, for request: PageRequest, answer: @escaping (PageAnswer) -> Void
    ) throws(PageError) {
        guard waiting.count + (current == nil ? 0 : 1) < PageOperation.limit else {
            throw .tooManyOperations
        }
        waiting.append(Pending(operation: operation, request: request, answer: answer))
        beginNext()
    }

    /// Stops waiting for the server if the current operation is about joining.
    func giveUpJoining() { if current?.operation.isJoining == true { runner?.giveUp() } }

    private func beginNext() {
        guard current == nil, !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        current = next
        do throws(PageError) {
            switch try next.operation.start(on: device) {
            case .answer(let answer): end(next, answer)
            case .request(let operation, let makeAnswer):
                let begun = OperationRunner.start(
                    operation, on: device, by: routes, time: time
                ) { [self] result in
                    end(next) { () throws(PageError) in try makeAnswer(result) }
                }
                // It may have failed at once.
                guard current != nil else { return }
                runner = begun
                didBegin()
            }
        } catch {
            end(next, failure(error, next))
        }
    }

    private func failure(_ error: PageError, _ pending: Pending) -> PageAnswer {
        PageAnswer(error, device.home, by: pending.request.clocks)
    }

    private func end(_ pending: Pending, _ answer: () throws(PageError) -> PageAnswer) {
        do throws(PageError) { end(pending, try answer()) } catch { end(pending, failure(error, pending)) }
    }

    private func end(_ pending: Pending, _ answer: PageAnswer) {
        current = nil
        runner = nil
        didEnd(pending.operation.isJoining)
        pending.answer(answer)
        // Not now, because the runner may be calling.
        time.schedule(after: .zero) { [self] in beginNext() }
    }
}
