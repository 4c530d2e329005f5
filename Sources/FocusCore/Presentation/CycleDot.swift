/// A work phase of the round that ends with a long break, as a dot shows it.
package enum CycleDot: String, Hashable, Sendable {
    /// It is over, however it ended.
    case done
    /// The present phase, running or not.
    case present
    case ahead

    /// A dot for each work phase up to the long break, `longBreakFrequency` of them; all ahead where stopped.
    static func dots(_ state: TimerState) -> [CycleDot] {
        let count = state.settings[.longBreakFrequency]
        guard let run = state.run else { return Array(repeating: .ahead, count: Int(count)) }
        // During a break the work before it is over too, though its cycle isn't.
        let done = run.completedCycles % count + (run.activity.isBreak ? 1 : 0)
        return (0..<count).map { number in
            if number < done { return .done }
            return number == done && !run.activity.isBreak ? .present : .ahead
        }
    }
}
