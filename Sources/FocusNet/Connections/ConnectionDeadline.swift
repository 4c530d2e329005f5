/// The present deadline of a connection (handshake, silence or closing), and the peer's signs of life.
final class ConnectionDeadline {
    private let loop: EventLoop
    /// The timer; nil if there is no deadline.
    private var timer: LoopTimer?
    /// The loop's time at the last sign of life of the peer.
    private var lastSign: Duration
    /// Whether the peer was silent for too long. Bytes that have arrived already still count.
    private var isSilent = false

    init(on loop: EventLoop) {
        self.loop = loop
        lastSign = loop.now
    }

    var isSet: Bool { timer != nil }

    /// Records a sign of life of the peer, or that none can be expected.
    func heard() { lastSign = loop.now }

    /// Starts a deadline in place of the earlier one.
    func set(after time: Duration, _ body: @escaping () -> Void) {
        timer?.cancel()
        timer = loop.schedule(after: time, body)
    }

    func cancel() {
        timer?.cancel()
        timer = nil
    }

    /// Returns whether the peer has been silent for too long. If not, the timer starts again. Reading doesn't
    /// restart the timer; it only records the time, which is compared here.
    func isOver(_ idle: Duration) -> Bool {
        let silent = loop.now - lastSign
        if silent < idle {
            isSilent = false
            timer?.start(after: idle - silent)
        } else if !isSilent {
            // Timers come before sockets in a turn. If the whole process was delayed, the bytes that arrived
            // meanwhile are read first.
            isSilent = true
            timer?.start(after: .milliseconds(1))
        } else {
            return true
        }
        return false
    }
}
