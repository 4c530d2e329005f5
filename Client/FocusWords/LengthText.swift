import CommandLineKit
import FocusCore

/// A length of time in whole minutes, or in seconds where it is under one: `1h40m`, `25m`, `12s`.
package func lengthText(_ length: Duration) -> String {
    let seconds = length.inSeconds
    return DurationText.text(.seconds(seconds < 60 ? seconds : seconds / 60 * 60))
}

/// How many work phases were completed on a day, and how many were to be: `2 of 8 work phases`. A goal of 0 is none.
package func completedText(_ completed: Int, goal: Int64) -> String {
    goal == 0 ? counted(completed, "work phase") : "\(completed) of \(counted(goal, "work phase"))"
}
