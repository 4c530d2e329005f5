import FocusCore

/// A position as it is compared in SQL, none being before every event's.
struct PositionColumns {
    let stamp: Int64
    let replica: ReplicaID

    init(_ position: Position?) {
        // No event's stamp is below 0.
        stamp = position.map { Int64(clamping: $0.stamp.rawValue) } ?? -1
        replica = position?.replica ?? ReplicaID(rawValue: 0)
    }
}
