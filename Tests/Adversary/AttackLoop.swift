import FocusNet

/// The thread with the event loop of an attacker's connections. It stops when this object is released.
package final class AttackLoop: Sendable {
    let loop: EventLoop

    package init() throws { loop = try EventLoop() }

    deinit {
        loop.stop()
        // The last reference may be released on the loop itself, by a connection that ends.
        if !loop.isCurrent { loop.wait() }
    }
}
