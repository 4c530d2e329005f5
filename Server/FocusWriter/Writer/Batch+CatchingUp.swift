import FocusCore
import FocusServerStore
import FocusSync

// A store may have more than the writer has in memory: another server has written, or a commit was kept whose answer was
// lost. Rows keep that from doing harm (`StaleMemory`); here the writer finds out what there is, and has it told to the
// laptops that are connected.
extension Batch {
    /// Reads one group's log anew, and has its connections told of what is new in it; forgets the group where it isn't in
    /// the store any more.
    ///
    /// - Throws: what the store throws, also where the log can't be read.
    mutating func catchUp(_ group: GroupID, _ transaction: any ServerTransaction) throws {
        guard let known = logs[group] else { return }
        guard let found = try transaction.log(of: known.number) else {
            replace(group, with: nil)
            return
        }
        try take([found], transaction)
        following.read([known.number])
    }

    /// Reads the logs of the groups of these numbers anew, as other servers have changed them, or brought them. That one was
    /// deleted is told otherwise. What is in memory changes only once all of it has been read.
    ///
    /// - Throws: what the store throws, also where one of the logs can't be read.
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

    /// Reads all groups that came to the store or have changed, and who is in all of them; forgets those that aren't in the store
    /// any more. Of groups that nobody is connected of it is only remembered that they have changed, as where others tell of
    /// them one by one, unless something is gone of them.
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

    /// Nobody is connected to servers that aren't there.
    mutating func forgetGoneServers(_ transaction: any ServerTransaction) throws {
        for number in try transaction.noteNoneConnected().sorted() {
            outcomes.append(.roster(try transaction.devices(of: number)))
        }
    }

    /// Goes on with groups' logs as the store has them, and has their connections told of what is new in them.
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
        // Who lacks more than these rows reads the rest.
        let last = try transaction.segments(holding: pushes.map(\.place))
        committed += pushes.compactMap { push in
            last[push.place].map { .committed(Push($0), push.head, push.group) }
        }
        outcomes += records
        for (known, log) in changed {
            replace(log.group, with: log)
            if log.lacks(anythingOf: known) { outcomes.append(.setBack(log)) }
        }
    }
}
