package import FocusCore
import FocusSeal
package import FocusStore

/// Whom the group's key was made for lately that none had been made for before, so that lists go on saying so for a
/// while.
package struct Newcomers {
    /// When each was told of, in shared time.
    package private(set) var times: [Digest: SharedInstant] = [:]

    /// So long somebody is said to be new: a week.
    private static let lasting = Duration.seconds(7 * 86_400)
    /// So many are kept at most, the newest of them.
    private static let limit = 4096

    /// What was kept, one a line; a line that can't be read is as if it weren't there.
    package init(_ store: DeviceStore) throws(StoreError) {
        for line in try store.text(.newcomers)?.split(separator: "\n") ?? [] {
            let words = line.split(separator: " ")
            guard words.count == 2, let key = Digest(hexadecimal: String(words[0])),
                let time = Int64(words[1])
            else { continue }
            times[key] = SharedInstant(milliseconds: time)
        }
    }

    /// Those who are new at `now`, in shared time.
    func times(at now: SharedInstant) -> [Digest: SharedInstant] {
        times.filter { _, time in
            let end = time + Newcomers.lasting
            return end < .distantFuture && end > now
        }
    }

    /// Keeps that these are new as of `now`, in shared time.
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
