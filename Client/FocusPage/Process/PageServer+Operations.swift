import CommandLineKit
import FocusContact
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusNet
import FocusText

// Group operations: the same as those of the commands, on a separate thread.
extension PageServer {
    /// Runs a group operation on the worker, with its own connection to the log, and sends its answer.
    ///
    /// - Throws: `PageError` if the operation can't start.
    func run(_ operation: PageOperation, for exchange: HTTPExchange) throws(PageError) {
        guard pendingOperations.count < PageOperation.limit else { throw .tooManyOperations }
        let worker = if let present = self.worker { present } else { try PageServer.makeLoop() }
        self.worker = worker
        lastRequestID += 1
        let id = lastRequestID
        pendingOperations[id] = exchange
        let cancellation = Cancellation()
        if operation.isJoining { joining = cancellation }
        let server = ObjectOnLoop(self, on: loop)
        worker.run { [context] in
            let result: Result<PageAnswer, PageError>
            do throws(PageError) {
                let device = try mapError(PageError.command) { () throws(CommandFailure) in
                    try context.openDeviceForOperation()
                }
                result = .success(
                    try operation.answer(by: context.operations(), on: device, cancellation: cancellation))
            } catch {
                result = .failure(error)
            }
            server.run { server in
                if operation.isJoining { server.joining = nil }
                server.pendingOperations.removeValue(forKey: id)?.send(
                    server.response { () throws(PageError) in try result.get() })
            }
        }
    }

    /// Makes an event loop, which has a thread of its own.
    static func makeLoop() throws(PageError) -> EventLoop {
        do throws(NetError) { return try EventLoop() } catch { throw .network(error.sentence) }
    }
}

extension PageOperation {
    /// Runs the operation, waits for its end, and returns its answer.
    ///
    /// - Parameter cancellation: Lets another thread end an operation that joins or shares.
    fileprivate func answer(
        by operations: any GroupOperations, on device: Device, cancellation: Cancellation
    ) throws(PageError) -> PageAnswer {
        switch self {
        case .revoke(let words, let revokesOnlyNamed):
            return .success(
                try PageOperation.sentences { () throws(CommandFailure) in
                    try operations.revoke(words, revokesOnlyNamed: revokesOnlyNamed, of: device)
                })
        case .accept(let word):
            return .success(
                try PageOperation.sentences { () throws(CommandFailure) in
                    try operations.accept(word, of: device)
                })
        case .readmit(let word):
            return .success(
                try PageOperation.sentences { () throws(CommandFailure) in
                    try device.readmission(word)
                        + operations.announceLocalChanges(on: device).map { $0.sentence }
                })
        case .invite:
            return try PageOperation.invite { () throws(GroupOperationError) in try operations.invite() }
        case .join(let invite, let choice):
            return try PageOperation.join { () throws(GroupOperationError) in
                try operations.join(invite, called: nil, choice, cancellation: cancellation)
            }
        case .share:
            let shared = try mapError(PageError.command) { () throws(CommandFailure) in
                try mapOperationError { () throws(GroupOperationError) in
                    try operations.share(called: nil, cancellation: cancellation)
                }
            }
            return .success(
                shared.sentences.joined(separator: "\n"),
                PageOperation.members(of: shared.invite))
        case .leave(let isUntold):
            return try PageOperation.leave { () throws(CommandFailure) in
                try operations.leave(device, untold: isUntold)
            }
        }
    }
}
