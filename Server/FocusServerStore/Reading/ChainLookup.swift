package import FocusCore

/// Chains of one replica that are being looked up, row by row of the store.
package struct ChainLookup: Hashable, Sendable {
    /// Whose events they are of.
    package let replica: ReplicaID
    /// As they were asked for.
    private let seqs: [UInt64]
    /// What is left, each once, the least last.
    private var left: [UInt64]
    private var chains: [UInt64: Chain] = [:]

    /// Nothing is found yet of what is asked for.
    package init(_ replica: ReplicaID, at seqs: [UInt64]) {
        self.replica = replica
        self.seqs = seqs
        left = Set(seqs).sorted(by: >)
    }

    /// The least seq that wasn't looked for yet; nil where there is none.
    var next: UInt64? { left.last }

    /// The seqs up to this one, ascending, which are looked for now.
    mutating func take(through seq: UInt64) -> [UInt64] {
        var taken: [UInt64] = []
        while let next = left.last, next <= seq {
            taken.append(next)
            left.removeLast()
        }
        return taken
    }

    mutating func found(_ seqs: [UInt64], _ chains: [Chain]) {
        for (seq, chain) in zip(seqs, chains) { self.chains[seq] = chain }
    }

    /// What was found, in the order asked.
    package var heads: [Head] { seqs.compactMap { seq in chains[seq].map { Head(seq: seq, chain: $0) } } }
}
