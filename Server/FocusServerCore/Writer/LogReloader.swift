import FocusCore
import FocusServerStore
import FocusSync

/// Reads groups' logs again, and has their news pushed to the connected laptops.
///
/// The store may be ahead of the writer's memory: another server has written, or a commit succeeded although
/// its answer was lost. The store refuses changes that are based on old memory (`StaleCacheError`).
struct LogReloader {
    private let memory: WriterMemory
    private let transaction: any ServerTransaction

    init(_ memory: WriterMemory, _ transaction: any ServerTransaction) {
        (self.memory, self.transaction) = (memory, transaction)
    }

    /// Reads one group's log again and has its news pushed. Removes the group if it isn't in the store any
    /// more.
    ///
    /// - Throws: The store's errors, also if the log is damaged.
    func catchUp(_ group: GroupID) throws {
        guard let known = memory.logs[group] else { return }
        guard let found = try transaction.log(of: known.number) else {
            memory.logs.replace(group, with: nil)
            return
        }
        try take([found])
        memory.following.read([known.number])
    }

    /// Reads the logs of the groups with these numbers again, because other servers have changed or added the
    /// groups. Deleted groups are handled elsewhere (`forget`).
    ///
    /// - Throws: The store's errors, also if one of the logs is damaged.
    func catchUp(numbers: [Int64]) throws {
        let found = try transaction.logs(of: numbers)
        let (known, new) = (
            found.filter(memory.logs.hasGroup), found.filter { !memory.logs.hasGroup(of: $0) }
        )
        let rosters = try new.isEmpty ? [] : transaction.rosters(of: new.map(\.number))
        try take(known)
        new.forEach(memory.add)
        memory.following.read(numbers)
        memory.outcomes.append(rosters.map { .roster($0) })
    }

    /// Reads all groups that were added or changed, and all rosters. Removes groups that aren't in the store
    /// any more. A changed group without connections is only marked as behind, unless its log has lost
    /// something.
    func catchUpAll() throws {
        memory.forget(allBut: try transaction.groupNumbers())
        let found = try transaction.readableLogs().logs.values.sorted { $0.number < $1.number }
        let changed = found.filter { memory.logs.hasGroup(of: $0) && memory.logs[$0.group] != $0 }
        let read = changed.filter { log in
            memory.following.follows(log.group) || memory.logs[log.group].map(log.lacks(anythingOf:)) ?? false
        }
        memory.following.readAll(but: Set(changed.map(\.number)).subtracting(read.map(\.number)))
        try take(read)
        for log in found where !memory.logs.hasGroup(of: log) { memory.add(log) }
        memory.outcomes.append(.reloaded(try transaction.devices(), Set(memory.logs.all.keys)))
    }

    /// Marks the devices of servers that have ended as not connected.
    func forgetGoneServers() throws {
        for number in try transaction.disconnectDevicesOfGoneServers().sorted() {
            memory.outcomes.append(.roster(try transaction.devices(of: number)))
        }
    }

    /// Replaces groups' logs with the logs read from the store, and has their news pushed.
    private func take(_ found: [GroupIndex]) throws {
        var pushes: [(place: EventPlace, head: ReplicaHead, group: GroupID)] = []
        var records: [WriterOutcome] = []
        let changed = found.compactMap { log in
            memory.logs[log.group].flatMap { $0 == log ? nil : (known: $0, log: log) }
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
        memory.outcomes.push(
            pushes.compactMap { push in
                last[push.place].map { .events(EncodedPush($0), push.head, push.group) }
            })
        memory.outcomes.append(records)
        for (known, log) in changed {
            memory.logs.replace(log.group, with: log)
            if log.lacks(anythingOf: known) { memory.outcomes.append(.setBack(log)) }
        }
    }
}
