package import FocusCore

/// The record of the news read from other servers, and of the news to read next. It reads nothing itself.
/// Rows may arrive in any order, late or twice; each counts once.
///
/// A server numbers its news by commit, without gaps. A number is missing only if the server that wrote it
/// never learned whether its commit succeeded. Such a row may still appear, so the rows after a gap are read
/// again until the gap is filled. If that takes longer than `patience`, the reader reads the whole store
/// instead.
///
/// Every server begins with number 1, and when old rows are deleted, each server's last old row stays. So a
/// gap can be noticed even for a server that was never read before.
package struct NewsProgress: Hashable, Sendable {
    /// The news read from one server.
    private struct Seen: Hashable {
        /// Every number up to this one was read.
        var through: Int64
        /// The numbers read beyond `through`, after a gap.
        var beyond: Set<Int64> = []
        /// The time at which the gap was noticed, or nil if there is none.
        var gap: SteadyInstant?
    }

    /// The position after which one server's news must be read.
    package struct Mark: Hashable, Sendable {
        /// The server's number.
        package let server: Int64
        /// The last number that needn't be read.
        package let number: Int64

        /// The position after this number of this server.
        package init(server: Int64, number: Int64) { (self.server, self.number) = (server, number) }
    }

    /// The news read so far, by the servers' numbers.
    private var servers: [Int64: Seen] = [:]
    /// The time of the last complete read.
    private var lastRead: SteadyInstant

    /// The time for which a missing number is waited for.
    package static let patience = Duration.seconds(60)
    /// The time for which news is kept.
    package static let retention = Duration.seconds(600)
    /// The time without a complete read after which news may have been missed. It is far shorter than
    /// `retention`: the retention of a row begins when it is written, but it can be read only after its
    /// commit.
    static let absence = Duration.seconds(300)

    /// Starts after a complete read at `now`.
    ///
    /// - Parameter marks: The servers that had news by then, each with the number up to which none is
    ///   missing.
    package init(_ marks: [Mark] = [], at now: SteadyInstant) {
        lastRead = now
        for mark in marks { servers[mark.server] = Seen(through: mark.number) }
    }

    /// The positions to read from, by server number. Other servers are read from number 1.
    package var marks: [Mark] {
        servers.map { Mark(server: $0.key, number: $0.value.through) }.sorted { $0.server < $1.server }
    }

    /// Records that a row was read.
    ///
    /// - Returns: Whether the row is new.
    package mutating func take(_ number: Int64, of server: Int64, at now: SteadyInstant) -> Bool {
        // A server without an entry is new. Its rows begin with number 1, so rows before this one may still
        // appear.
        var seen = servers[server] ?? Seen(through: 0)
        defer { servers[server] = seen }
        guard number > seen.through, seen.beyond.insert(number).inserted else { return false }
        while seen.beyond.remove(seen.through + 1) != nil { seen.through += 1 }
        seen.gap = seen.beyond.isEmpty ? nil : seen.gap ?? now
        return true
    }

    /// Records a complete read at `now`.
    ///
    /// - Returns: Whether something may have been missed, so that the whole store must be read again.
    package mutating func finish(at now: SteadyInstant) -> Bool {
        defer { lastRead = now }
        var isMissing = now - lastRead >= NewsProgress.absence
        for (server, seen) in servers {
            guard let gap = seen.gap, now - gap >= NewsProgress.patience, let last = seen.beyond.max() else {
                continue
            }
            // The whole store is read again, so the gap needn't be filled any more.
            servers[server] = Seen(through: last)
            isMissing = true
        }
        return isMissing
    }
}
