/// What happens to a machine whose disk stops in the middle of something.
struct Fate {
    /// Whether the power goes, which takes what wasn't synced; else its programs are killed.
    var losesPower = true
    /// How long it is off.
    var downtime: Int64 = .seconds(3)
}
