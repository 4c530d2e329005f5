/// What happened in a run, line by line. Two runs of one seed have the same, to the last byte.
package struct Trace {
    /// What becomes of the lines. Where they are neither hashed nor kept they aren't even written, which makes a run
    /// faster; it is the same run.
    package enum Use {
        case dropped, hashed, kept
        /// Said as they come, so that a world without end says where it is.
        case told((String) -> Void)
    }

    /// The lines, where they are kept.
    package private(set) var lines: [String] = []
    /// A hash of all lines (FNV-1a), where they aren't dropped.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private let use: Use

    init(_ use: Use) { self.use = use }

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
