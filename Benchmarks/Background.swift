import FocusNet
import Glibc
import Synchronization

/// A blocking function that runs on a thread of its own.
final class Background<Value: Sendable> {
    private let loop: EventLoop
    private let answer = Answer<Value>()

    /// Starts the thread, which runs `body`.
    init(_ body: @escaping @Sendable () throws -> Value) throws {
        loop = try EventLoop()
        loop.run { [answer] in
            let result = Result { try body() }
            answer.result.withLock { $0 = result }
        }
    }

    /// Waits for the result of the function.
    func value() throws -> Value {
        try answer.value()
    }

    deinit {
        loop.stop()
        loop.wait()
    }
}

/// A result that one thread sets and another waits for.
final class Answer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)

    /// Waits for the result, checking every millisecond.
    func value() throws -> Value {
        while true {
            if let result = result.withLock(\.self) { return try result.get() }
            poll(nil, 0, 1)
        }
    }
}
