import FocusCore

/// Finds the first seq at which two logs' chains of a replica differ, by asking both for the chains at a few seqs
/// at a time. Equal chains at a seq prove everything before it equal.
struct Bisection: Hashable {
    /// What is to be done next.
    enum Step: Hashable {
        /// Ask both sides for their chains at these seqs.
        case ask([UInt64])
        /// The logs are equal through the end.
        case equal
        /// The logs differ from this event of the own log on.
        case differs(from: Head)
        /// A side doesn't have what it said it had.
        case lost
    }

    /// The replica's events are equal through here.
    private(set) var equal: UInt64
    /// They differ here: the own log's head.
    private var differs: Head?
    /// What is looked at ends here.
    let end: UInt64
    private var probes: [UInt64]
    private var mine: [Head]?
    private var theirs: [Head]?

    private static let probesAtOnce: UInt64 = 15

    /// Begins with the end: in most cases the logs are equal there.
    ///
    /// - Parameters:
    ///   - equal: a seq through which the logs are known to be equal.
    ///   - end: where the search ends, beyond `equal`.
    ///   - theirs: the other side's chain at `end`, where it is known.
    init(equal: UInt64, end: UInt64, theirs: Chain?) {
        self.equal = equal
        self.end = end
        probes = [end]
        self.theirs = theirs.map { [Head(seq: end, chain: $0)] }
    }

    /// The seqs whose chains are asked for.
    var asked: [UInt64] { probes }

    /// Whether the other side has to be asked.
    var needsTheirs: Bool { theirs == nil }

    /// This side's chains.
    mutating func take(mine heads: [Head]) -> Step? {
        mine = heads
        return step()
    }

    /// The other side's chains.
    mutating func take(theirs heads: [Head]) -> Step? {
        theirs = heads
        return step()
    }

    /// What comes next, once both answers are there.
    private mutating func step() -> Step? {
        guard let mine, let theirs else { return nil }
        guard mine.map({ $0.seq }) == probes, theirs.map({ $0.seq }) == probes else { return .lost }
        if let first = zip(mine, theirs).first(where: { $0 != $1 }) { differs = first.0 }
        equal = zip(mine, theirs).prefix { $0 == $1 }.last?.0.seq ?? equal
        guard let differs else { return .equal }
        guard differs.seq > equal + 1 else { return .differs(from: differs) }
        let step = max(1, (differs.seq - equal) / (Bisection.probesAtOnce + 1))
        probes = Array(
            stride(from: equal + step, to: differs.seq, by: Int(clamping: step))
                .prefix(Int(Bisection.probesAtOnce)))
        self.mine = nil
        self.theirs = nil
        return .ask(probes)
    }
}
