#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A report that prints figures as they are measured, each with its goal.
struct Report {
    enum Goal {
        case atLeast(Double)
        case atMost(Double)
    }

    private var missed = 0
    private var failed = 0

    /// Counts a benchmark that couldn't be measured.
    mutating func fail() { failed += 1 }

    /// Prints the numbers of missed goals and of failed benchmarks, and ends the process. The status is 1 if
    /// a benchmark failed. Missed goals don't change it.
    func end() -> Never {
        note("\(missed) goals missed, \(failed) benchmarks failed")
        exit(failed == 0 ? 0 : 1)
    }

    func note(_ text: String) { printLine("# \(text)") }

    /// Prints a line and flushes it, because output to a file is buffered.
    private func printLine(_ line: String) {
        print(line)
        fflush(nil)
    }

    mutating func figure(_ name: String, _ value: Double, unit: String, goal: Goal? = nil) {
        var line = "\(name): \(Report.rounded(value)) \(unit)"
        let isMet: Bool
        switch goal {
        case nil:
            isMet = true
        case .atLeast(let least):
            line += " (goal: at least \(Report.rounded(least)))"
            isMet = value >= least
        case .atMost(let most):
            line += " (goal: at most \(Report.rounded(most)))"
            isMet = value <= most
        }
        if !isMet { missed += 1 }
        printLine(isMet ? line : line + " MISSED")
    }

    /// Prints whether a condition held. If not, this counts as a missed goal, and `problem`, the actual state,
    /// is printed too.
    mutating func check(_ name: String, _ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { missed += 1 }
        printLine(holds ? "\(name): yes" : "\(name): no, \(problem()) MISSED")
    }

    private static func rounded(_ value: Double) -> String {
        let hundredths = (value * 100).rounded() / 100
        return abs(value) >= 100 ? String(Int64(value.rounded())) : String(hundredths)
    }
}
