/// The outage of a machine after its disk stopped in the middle of its writes.
struct MachineOutage {
    /// Whether the power fails, which may lose unsynced writes. If not, the machine's programs are killed.
    var losesPower = true
    /// The time that the machine stays off, in microseconds.
    var downtime: Int64 = .seconds(3)
}
