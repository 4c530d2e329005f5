import FocusDevice

/// An alarm of virtual time, which whoever set it rings.
final class SimulatedAlarm: Alarm {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) { self.body = body }

    func ring() {
        let body = body
        self.body = nil
        body?()
    }

    func cancel() { body = nil }
}

extension Duration {
    /// In whole microseconds, as virtual time goes.
    var inMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
