#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Prints figures as they are measured, each beside the goal it is to reach.
struct Report {
    enum Goal {
        case atLeast(Double)
        case atMost(Double)
    }

    private var missed = 0
    private var failed = 0

    mutating func fail() { failed += 1 }

    /// Says how many goals were missed, and ends the process: with 1 where something couldn't be measured.
    func end() -> Never {
        note("\(missed) goals missed, \(failed) benchmarks failed")
        exit(failed == 0 ? 0 : 1)
    }

    func note(_ text: String) { say("# \(text)") }

    /// Prints a line, at once also where it goes to a file.
    private func say(_ line: String) {
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
        say(isMet ? line : line + " MISSED")
    }

    /// Says whether something held that is no figure; `problem` is what it was instead.
    mutating func hold(_ name: String, _ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { missed += 1 }
        say(holds ? "\(name): yes" : "\(name): no, \(problem()) MISSED")
    }

    private static func rounded(_ value: Double) -> String {
        let hundredths = (value * 100).rounded() / 100
        return abs(value) >= 100 ? String(Int64(value.rounded())) : String(hundredths)
    }
}
