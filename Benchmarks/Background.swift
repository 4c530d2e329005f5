import FocusNet
import Glibc
import Synchronization

/// Something that blocks, on a thread of its own.
final class Background<Value: Sendable> {
    private let loop: EventLoop
    private let answer = Answer<Value>()

    /// Begins.
    init(_ body: @escaping @Sendable () throws -> Value) throws {
        loop = try EventLoop()
        loop.run { [answer] in
            let result = Result { try body() }
            answer.result.withLock { $0 = result }
        }
    }

    /// Waits until it is done.
    func value() throws -> Value {
        try answer.value()
    }

    deinit {
        loop.stop()
        loop.wait()
    }
}

/// Where a thread leaves what another waits for.
final class Answer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)

    /// Waits for it.
    func value() throws -> Value {
        while true {
            if let result = result.withLock(\.self) { return try result.get() }
            poll(nil, 0, 1)
        }
    }
}
