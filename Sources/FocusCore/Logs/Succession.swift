/// What an event is to a log that has its replica's events without holes up to a last one: the rule by which every such
/// log takes events (docs/protocol.md, "Merging").
package enum Succession: Hashable, Sendable {
    /// The log has an event of this seq: it has to be the same.
    case known
    /// It follows the last one.
    case next
    /// Events before it are lacking.
    case gap
    /// Its stamp doesn't rise, or is 2^63 or more.
    case malformed

    /// - Parameters:
    ///   - last: the seq of the replica's last event in the log; 0 where there is none.
    ///   - lastStamp: that event's stamp; any where there is none.
    package init(of seq: UInt64, _ stamp: Stamp, after last: UInt64, _ lastStamp: Stamp) {
        if seq <= last {
            self = .known
        } else if seq - last > 1 {
            self = .gap
        } else {
            self = stamp.isWellFormed && (last == 0 || stamp > lastStamp) ? .next : .malformed
        }
    }
}
