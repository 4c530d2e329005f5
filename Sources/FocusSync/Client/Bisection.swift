import FocusCore

/// Finds the first seq at which two logs' chains of a replica differ. Each step asks both sides for their
/// chains at a few seqs. Equal chains at a seq prove that all events up to it are equal.
struct Bisection: Hashable {
    /// The next step of the search.
    enum Step: Hashable {
        /// Ask both sides for their chains at these seqs.
        case ask([UInt64])
        /// The logs are equal through the end.
        case equal
        /// The first event that differs is the own log's event at this head.
        case differs(from: Head)
        /// One side lacks a chain that it should have.
        case lost
    }

    /// The last seq through which the two logs are known to be equal.
    private(set) var equal: UInt64
    /// The own log's head at the smallest seq with a difference so far, or nil if none was found.
    private var differs: Head?
    /// The last seq of the search.
    let end: UInt64
    /// The seqs of the present step.
    private var probes: [UInt64]
    /// This side's chains at `probes`, or nil if they are missing.
    private var mine: [Head]?
    /// The other side's chains at `probes`, or nil if they are missing.
    private var theirs: [Head]?

    /// The most seqs in one step.
    private static let probesAtOnce: UInt64 = 15

    /// Begins a search that first compares the chains at `end`: in most cases the logs are equal there.
    ///
    /// - Parameters:
    ///   - equal: A seq through which the logs are known to be equal.
    ///   - end: The last seq to search, beyond `equal`.
    ///   - theirs: The other side's chain at `end`, or nil if it isn't known.
    init(equal: UInt64, end: UInt64, theirs: Chain?) {
        self.equal = equal
        self.end = end
        probes = [end]
        self.theirs = theirs.map { [Head(seq: end, chain: $0)] }
    }

    /// The seqs at which both sides are asked for their chains.
    var asked: [UInt64] { probes }

    /// Whether the other side's chains at `asked` are still missing.
    var needsTheirs: Bool { theirs == nil }

    /// Stores this side's chains at `asked`.
    ///
    /// - Returns: The next step, or nil until the other side has answered too.
    mutating func take(mine heads: [Head]) -> Step? {
        mine = heads
        return step()
    }

    /// Stores the other side's chains at `asked`.
    ///
    /// - Returns: The next step, or nil until this side has answered too.
    mutating func take(theirs heads: [Head]) -> Step? {
        theirs = heads
        return step()
    }

    /// Returns the next step, or nil if one of the two answers is missing.
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
