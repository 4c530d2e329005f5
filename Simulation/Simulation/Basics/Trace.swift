/// The lines that describe a run. Two runs of one seed have the same lines, to the last byte.
package struct Trace {
    /// The use of the lines. Dropped lines aren't even composed, which makes a run faster. The run itself
    /// doesn't depend on the use.
    package enum Use {
        case dropped, hashed, kept
        /// Passes on each line at once, so that a world that doesn't end shows its progress.
        case told((String) -> Void)
    }

    /// The lines, if they are kept.
    package private(set) var lines: [String] = []
    /// A hash of all lines (FNV-1a), unless they are dropped.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private let use: Use

    init(_ use: Use) { self.use = use }

    /// Adds a line, unless lines are dropped.
    ///
    /// - Parameter time: Virtual time in microseconds.
    mutating func add(_ time: Int64, _ who: String, _ what: () -> String) {
        if case .dropped = use { return }
        let fraction = String(time % 1_000_000)
        let padded = String(repeating: "0", count: 6 - fraction.count) + fraction
        let line = "\(time / 1_000_000).\(padded) \(who): \(what())"
        for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        switch use {
        case .dropped, .hashed: break
        case .kept: lines.append(line)
        case .told(let say): say(line)
        }
    }
}
