package import FocusCore
import FocusSeal
package import FocusStore

/// The devices that got the group's key lately for the first time, or that a revoked device may have let in.
/// Lists mark them as new for a week.
package struct Newcomers {
    /// The time at which each device was added, in shared time.
    package private(set) var times: [Digest: SharedInstant] = [:]

    /// The time for which a device counts as new: a week.
    private static let period = Duration.seconds(7 * 86_400)
    /// The most devices that are stored. If there are more, the newest are kept.
    private static let limit = 4096

    /// The stored newcomers, one on each line. A line that can't be read is skipped.
    package init(_ store: DeviceStore) throws(StoreError) {
        for line in try store.text(.newcomers)?.split(separator: "\n") ?? [] {
            let words = line.split(separator: " ")
            guard words.count == 2, let key = Digest(hexadecimal: String(words[0])),
                let time = Int64(words[1])
            else { continue }
            times[key] = SharedInstant(milliseconds: time)
        }
    }

    /// Returns the devices that are new at `now`, in shared time.
    func times(at now: SharedInstant) -> [Digest: SharedInstant] {
        times.filter { _, time in
            let end = time + Newcomers.period
            // A sum that is too large equals `distantFuture`. Only a damaged time has such a sum.
            return end < .distantFuture && end > now
        }
    }

    /// Stores these devices as new at `now`, in shared time.
    package mutating func add(_ devices: Set<Digest>, at now: SharedInstant, _ store: DeviceStore)
        throws(StoreError)
    {
        times = times(at: now)
        for device in devices { times[device] = now }
        if times.count > Newcomers.limit {
            let newest = times.sorted {
                $0.value == $1.value ? $0.key.precedes($1.key) : $0.value > $1.value
            }
            times = Dictionary(
                uniqueKeysWithValues: newest.prefix(Newcomers.limit).map { ($0.key, $0.value) })
        }
        let lines = times.map { "\($0.key.hexadecimal) \($0.value.milliseconds)" }.sorted()
        try store.setText(lines.joined(separator: "\n"), for: .newcomers)
    }
}
