import FocusNet

/// The thread that an attacker's connections live on, which ends with it.
package final class AttackLoop: Sendable {
    let loop: EventLoop

    package init() throws { loop = try EventLoop() }

    deinit {
        loop.stop()
        // The last thing to let go of it may be a connection that ends on the loop itself.
        if !loop.isCurrent { loop.wait() }
    }
}
