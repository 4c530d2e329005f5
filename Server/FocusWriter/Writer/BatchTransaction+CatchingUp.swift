import FocusCore
import FocusServerStore
import FocusSync

// The store may be ahead of the writer's memory: another server has written, or a commit succeeded although
// its answer was lost. The store refuses changes that are based on old memory (`StaleCacheError`). These
// functions read the news and have it pushed to the connected laptops.
extension BatchTransaction {
    /// Reads one group's log again and has its news pushed. Removes the group if it isn't in the store any
    /// more.
    ///
    /// - Throws: The store's errors, also if the log is damaged.
    mutating func catchUp(_ group: GroupID, _ transaction: any ServerTransaction) throws {
        guard let known = logs[group] else { return }
        guard let found = try transaction.log(of: known.number) else {
            replace(group, with: nil)
            return
        }
        try take([found], transaction)
        following.read([known.number])
    }

    /// Reads the logs of the groups with these numbers again, because other servers have changed or added the
    /// groups. Deleted groups are handled elsewhere (`forget`).
    ///
    /// - Throws: The store's errors, also if one of the logs is damaged.
    mutating func catchUp(numbers: [Int64], _ transaction: any ServerTransaction) throws {
        let found = try transaction.logs(of: numbers)
        let (known, new) = (found.filter(isHere), found.filter { !isHere($0) })
        let rosters = try new.isEmpty ? [] : transaction.rosters(of: new.map(\.number))
        try take(known, transaction)
        new.forEach { add($0) }
        following.read(numbers)
        outcomes += rosters.map { .roster($0) }
    }

    /// Whether the writer has the group of a log.
    private func isHere(_ log: GroupIndex) -> Bool { logs[log.group]?.number == log.number }

    /// Reads all groups that were added or changed, and all rosters. Removes groups that aren't in the store
    /// any more. A changed group without connections is only marked as behind, unless its log has lost
    /// something.
    mutating func catchUpAll(_ transaction: any ServerTransaction) throws {
        forget(allBut: try transaction.groupNumbers())
        let found = try transaction.readableLogs().logs.values.sorted { $0.number < $1.number }
        let changed = found.filter { isHere($0) && logs[$0.group] != $0 }
        let read = changed.filter { log in
            following.follows(log.group) || logs[log.group].map(log.lacks(anythingOf:)) ?? false
        }
        following.readAll(but: Set(changed.map(\.number)).subtracting(read.map(\.number)))
        try take(read, transaction)
        for log in found where !isHere(log) { add(log) }
        outcomes.append(.reloaded(try transaction.devices(), Set(logs.keys)))
    }

    /// Marks the devices of servers that have ended as not connected.
    mutating func forgetGoneServers(_ transaction: any ServerTransaction) throws {
        for number in try transaction.noteNoneConnected().sorted() {
            outcomes.append(.roster(try transaction.devices(of: number)))
        }
    }

    /// Replaces groups' logs with the logs read from the store, and has their news pushed.
    private mutating func take(_ found: [GroupIndex], _ transaction: any ServerTransaction) throws {
        var pushes: [(place: EventPlace, head: ReplicaHead, group: GroupID)] = []
        var records: [WriterOutcome] = []
        let changed = found.compactMap { log in
            logs[log.group].flatMap { $0 == log ? nil : (known: $0, log: log) }
        }
        for (known, log) in changed {
            for (replica, head) in log.heads.sorted(by: { $0.key < $1.key })
            where head.head.seq > known.head(of: replica).head.seq {
                let last = EventPlace(number: log.number, replica: replica, seq: head.head.seq)
                pushes.append((last, head, log.group))
            }
            for epoch in log.bodies.subtracting(known.bodies).sorted() {
                guard let record = try transaction.epoch(epoch, in: log.number) else { continue }
                records.append(.epochAdded(record, log.group, from: nil))
            }
        }
        // Connections that lack more than these rows read the rest.
        let last = try transaction.segments(holding: pushes.map(\.place))
        self.pushes += pushes.compactMap { push in
            last[push.place].map { .events(EncodedPush($0), push.head, push.group) }
        }
        outcomes += records
        for (known, log) in changed {
            replace(log.group, with: log)
            if log.lacks(anythingOf: known) { outcomes.append(.setBack(log)) }
        }
    }
}
