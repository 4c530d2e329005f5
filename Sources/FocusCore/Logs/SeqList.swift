/// The seqs of a branch's events, ascending. Consecutive seqs, as in a whole log, take no space.
struct SeqList: Sendable {
    private enum Storage: Sendable {
        /// `count` consecutive seqs, from `first` on.
        case run(first: UInt64, count: Int)
        /// Seqs with holes between them. After a removal at either end, the rest may have no holes.
        case list([UInt64])
    }

    private var storage = Storage.run(first: 1, count: 0)

    var count: Int {
        switch storage {
        case .run(_, let count): count
        case .list(let seqs): seqs.count
        }
    }

    var last: UInt64? { count == 0 ? nil : self[count - 1] }

    /// The seq at an index below `count`.
    subscript(index: Int) -> UInt64 {
        switch storage {
        case .run(let first, _): first + UInt64(index)
        case .list(let seqs): seqs[index]
        }
    }

    /// Returns the index of the first seq that is not below `seq`. Cost: constant without holes, else
    /// logarithmic.
    func index(notBelow seq: UInt64) -> Int {
        switch storage {
        case .run(let first, let count): seq <= first ? 0 : Int(min(seq - first, UInt64(count)))
        case .list(let seqs): seqs.partitioningIndex { $0 >= seq }
        }
    }

    /// Inserts a new seq at the index that `index(notBelow:)` returns. Cost: constant if the seqs stay
    /// consecutive, else linear.
    mutating func insert(_ seq: UInt64, at index: Int) {
        switch storage {
        case .run(_, 0): storage = .run(first: seq, count: 1)
        case .run(let first, let count) where index == count && seq - first == UInt64(count):
            storage = .run(first: first, count: count + 1)
        case .run(let first, let count) where seq == first - 1:
            storage = .run(first: seq, count: count + 1)
        case .run(let first, let count):
            insert(seq, at: index, into: (0..<count).map { first + UInt64($0) })
        case .list(let seqs):
            // Drops the other reference to `seqs`, so that inserting doesn't copy the array.
            storage = .run(first: 1, count: 0)
            insert(seq, at: index, into: seqs)
        }
    }

    private mutating func insert(_ seq: UInt64, at index: Int, into list: consuming [UInt64]) {
        list.insert(seq, at: index)
        let (first, last) = (list[0], list[list.count - 1])
        storage = last - first == UInt64(list.count - 1) ? .run(first: first, count: list.count) : .list(list)
    }

    /// Removes the seq at an index below `count`. Cost: constant at the end, else linear.
    mutating func remove(at index: Int) {
        switch storage {
        case .run(let first, let count) where index == count - 1:
            storage = .run(first: first, count: count - 1)
        case .run(let first, let count):
            storage = .list((0..<count).filter { $0 != index }.map { first + UInt64($0) })
        case .list(var seqs):
            // Drops the other reference to `seqs`, so that removing doesn't copy the array.
            storage = .run(first: 1, count: 0)
            seqs.remove(at: index)
            storage = .list(seqs)
        }
    }
}
