/// The present deadline of a connection (handshake, silence or closing), and the peer's signs of life.
final class ConnectionDeadline {
    private let loop: EventLoop
    /// The timer; nil if there is no deadline.
    private var timer: LoopTimer?
    /// The loop's time at the last sign of life of the peer.
    private var lastSign: Duration
    /// Whether the peer had been silent for too long when the timer last fired. It then gets one more turn of
    /// the loop, in which bytes that have arrived are read.
    private var isSilent = false

    init(on loop: EventLoop) {
        self.loop = loop
        lastSign = loop.now
    }

    var isSet: Bool { timer != nil }

    /// Restarts the measurement of the peer's silence: after a sign of life, or if none can be expected now.
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

    /// Checks whether the peer has been silent for `limit`, and if not, starts the timer again. Reading
    /// doesn't restart the timer; it only records the time, which is compared here.
    ///
    /// - Returns: Whether the peer has been silent for too long.
    func checkSilence(limit: Duration) -> Bool {
        let silent = loop.now - lastSign
        if silent < limit {
            isSilent = false
            timer?.start(after: limit - silent)
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
