/// How a client takes being told that it writes too much at once. One that goes on before the time that was named makes
/// work for nothing, and is listened to less: after a while it isn't read from for as long as it should have waited, and
/// has one upload at the writer at a time, until something of it is taken again.
struct UploadPace {
    /// The latest time that was named, in microseconds on the steady clock.
    private var named = Int64.min
    /// How many uploads came before that time, and were refused again.
    private var hasty = 0
    /// Until when nothing is read from the connection; nil where it is.
    private(set) var restsUntil: Int64?

    /// How many uploads may be at the writer.
    var uploadsAtOnce: Int { hasty < Limits.hastyUploads ? Limits.uploads : 1 }

    /// An upload was answered.
    ///
    /// - Parameters:
    ///   - stop: why its end was not reached, where it wasn't.
    ///   - heard: when the last bytes came from the client, on the steady clock.
    mutating func answered(_ stop: Ack.Stop?, heard: Int64) {
        guard let stop, stop.code == .rate, let after = stop.after else {
            self = UploadPace()
            return
        }
        if heard < named { hasty += 1 }
        named = max(named, heard + Int64(after) * 1_000)
        if hasty >= Limits.hastyUploads { restsUntil = min(named, heard + Limits.rest) }
    }

    /// It is so late now.
    mutating func look(at now: Int64) {
        if let restsUntil, now >= restsUntil { self.restsUntil = nil }
    }
}
