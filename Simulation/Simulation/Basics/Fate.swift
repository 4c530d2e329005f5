/// An outage of a machine that begins in the middle of its writes.
struct Fate {
    /// Whether the power goes, which loses all unsynced writes. Otherwise the machine's programs are killed.
    var losesPower = true
    /// The time that it stays off, in microseconds.
    var downtime: Int64 = .seconds(3)
}
