package import FocusCore

/// What the guard of the server's clock finds.
package enum ClockVerdict: Hashable, Sendable {
    /// Shared time is this.
    case sure(SharedReading)
    /// The clock is so far behind the greatest time served.
    case behind(by: Duration)
    /// The clock has jumped by so much against the steady clock; negative where it went back.
    case jumped(by: Duration)

    /// Shared time; nil where it isn't sure.
    package var shared: SharedReading? {
        if case .sure(let time) = self { time } else { nil }
    }

    /// What is wrong with the clock, as a sentence goes on after "The clock"; nil where nothing is.
    package var trouble: String? {
        switch self {
        case .sure: nil
        case .behind(let lag): "is \(lag.inSeconds) s behind the time served before"
        case .jumped(let jump):
            "has jumped \(jump < .zero ? "back" : "ahead") by \(jump.inSeconds.magnitude) s"
        }
    }

    /// What whoever runs the server is to do where the clock isn't sure.
    package static let remedy = "set the clock right, or if it is right now, run 'focusd clock accept'"
}
