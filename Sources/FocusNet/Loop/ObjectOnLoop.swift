/// A reference to an object of an event loop, for other threads. It doesn't keep the object alive, so that the
/// object isn't freed on another thread than the loop's.
package final class ObjectOnLoop<Object: AnyObject>: @unchecked Sendable {
    // Unchecked: the object is read on the loop's thread only.

    private let loop: EventLoop
    private weak var object: Object?

    /// Creates a reference. Must be called on the loop's thread.
    package init(_ object: Object, on loop: EventLoop) {
        self.object = object
        self.loop = loop
    }

    /// Calls `body` with the object on the loop's thread. Does nothing if the object is gone by then, or the
    /// loop has ended.
    package func run(_ body: @escaping @Sendable (Object) -> Void) {
        loop.run { [self] in if let object { body(object) } }
    }
}
