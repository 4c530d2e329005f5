/// A short word that names a record for people. It depends only on the record's name, so every device uses
/// the same handle for as long as the record exists.
///
/// Its characters are digits and lower-case letters without i, l, o and u, which are easily misread
/// (Crockford's base 32).
package struct RecordHandle: Hashable, Comparable, Sendable {
    private let number: UInt64

    /// The number of characters of a handle that are shown, if no other handle begins with them.
    package static let shortest = 6
    /// The number of characters in a whole handle.
    package static let length = 13

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Creates the handle of the record with this name.
    package init(_ name: RecordName) {
        var number = RecordHandle.mixed(name.run.position.stamp.rawValue)
        number = RecordHandle.mixed(number ^ name.run.position.replica.rawValue)
        self.number = RecordHandle.mixed(number ^ UInt64(bitPattern: name.ordinal))
    }

    /// Returns a number in which each bit of `number` affects all bits (SplitMix64's finalizer, Steele et al.
    /// 2014).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The whole handle. Its last character stands for fewer bits than the others.
    package var text: String {
        let digits = (0..<RecordHandle.length).map { index in
            let shift = 59 - 5 * index
            let digit = shift >= 0 ? number >> shift : number << -shift
            return RecordHandle.alphabet[Int(digit & 31)]
        }
        return String(decoding: digits, as: UTF8.self)
    }

    package static func < (left: RecordHandle, right: RecordHandle) -> Bool { left.number < right.number }

    /// Returns the number of leading characters that two handles share.
    fileprivate func common(with other: RecordHandle) -> Int {
        (number ^ other.number).leadingZeroBitCount / 5
    }
}

/// The records of a history, found by their handles.
package struct RecordHandles: Sendable {
    private let records: [PhaseRecord]
    /// The handles in order, each with the index of its record.
    private let order: [(handle: RecordHandle, index: Int)]

    /// Creates the lookup for a history. Cost: O(n log n) in the records.
    package init(_ history: History) {
        records = history.records
        // Records are ten times as large, and would take long to move.
        order = history.records.enumerated().map { (handle: RecordHandle($1.name), index: $0) }
            .sorted { $0.handle < $1.handle }
    }

    /// Returns the first `RecordHandle.shortest` characters of the record's handle, or more if another handle
    /// shares them. Returns the record's name if somebody made another record with the same handle.
    ///
    /// Cost: logarithmic in the records.
    package func shown(_ name: RecordName) -> String {
        let handle = RecordHandle(name)
        let index = index { $0 >= handle }
        var length = RecordHandle.shortest
        for neighbour in [index - 1, index, index + 1] where order.indices.contains(neighbour) {
            let (other, place) = order[neighbour]
            guard records[place].name != name else { continue }
            if other == handle { return name.text }
            length = max(length, handle.common(with: other) + 1)
        }
        return String(handle.text.prefix(length))
    }

    /// Returns the records with a handle that begins with `text`, in upper or lower case. If `text` is a
    /// record's name, returns only that record. Returns none for the empty text.
    package func records(beginning text: String) -> [PhaseRecord] {
        let start = text.lowercased()
        guard !start.isEmpty else { return [] }
        if let name = RecordName(text: start) {
            return records(beginning: RecordHandle(name).text).filter { $0.name == name }
        }
        var found: [PhaseRecord] = []
        var index = index { $0.text >= start }
        while index < order.count, order[index].handle.text.hasPrefix(start) {
            found.append(records[order[index].index])
            index += 1
        }
        return found
    }

    /// Returns the first index that meets a condition. All later indices have to meet it too.
    private func index(where isMet: (RecordHandle) -> Bool) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = low + (high - low) / 2
            if isMet(order[middle].handle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension History {
    /// Returns the handles of these records that other records of the history have too. Usually there are none.
    ///
    /// Cost: linear in the history.
    package func sharedHandles(of records: some Sequence<PhaseRecord>) -> Set<RecordHandle> {
        var names: [RecordHandle: RecordName] = [:]
        for record in records { names[RecordHandle(record.name)] = record.name }
        var shared: Set<RecordHandle> = []
        for record in self.records {
            let handle = RecordHandle(record.name)
            if let name = names[handle], name != record.name { shared.insert(handle) }
        }
        return shared
    }
}
