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
            remember(known)
            logs[group] = nil
            return
        }
        try take(found, transaction)
    }

    /// Reads the log of the group of this number anew, as other servers have changed it, or brought it. That one was deleted
    /// is told otherwise.
    ///
    /// - Throws: what the store throws, also where the log can't be read.
    mutating func catchUp(number: Int64, _ transaction: any ServerTransaction) throws {
        guard let found = try transaction.log(of: number) else { return }
        if logs[found.group]?.number == number { return try take(found, transaction) }
        add(found)
        outcomes.append(.roster(try transaction.devices(of: number)))
    }

    /// Reads all groups that came to the store or have changed, and who is in all of them.
    mutating func catchUpAll(_ transaction: any ServerTransaction) throws {
        for log in try transaction.readableLogs().logs.values.sorted(by: { $0.number < $1.number }) {
            if logs[log.group]?.number == log.number { try take(log, transaction) } else { add(log) }
        }
        outcomes.append(.reloaded(try transaction.devices(), Set(logs.keys)))
    }

    /// Reads the groups that came to the store and that the writer doesn't have, and who is in all of them: after a commit
    /// that may have been kept.
    mutating func findAdded(_ transaction: any ServerTransaction) throws {
        for (group, log) in try transaction.readableLogs().logs.sorted(by: { $0.key < $1.key })
        where logs[group] == nil {
            add(log)
        }
        outcomes.append(.reloaded(try transaction.devices(), Set(logs.keys)))
    }

    /// Nobody is connected to servers that aren't there.
    mutating func forgetGoneServers(_ transaction: any ServerTransaction) throws {
        for number in try transaction.noteNoneConnected().sorted() {
            outcomes.append(.roster(try transaction.devices(of: number)))
        }
    }

    /// Goes on with a group's log as the store has it, and has its connections told of what is new in it.
    private mutating func take(_ found: GroupIndex, _ transaction: any ServerTransaction) throws {
        guard let known = logs[found.group], known != found else { return }
        for (replica, head) in found.heads.sorted(by: { $0.key < $1.key })
        where head.head.seq > known.head(of: replica).head.seq {
            // Who lacks more than this row reads the rest.
            let last = try transaction.segment(of: replica, holding: head.head.seq, in: known.number)
            guard let last else { continue }
            committed.append(.committed(Push(last), head, found.group))
        }
        for epoch in found.bodies.subtracting(known.bodies).sorted() {
            guard let record = try transaction.epoch(epoch, in: known.number) else { continue }
            outcomes.append(.epochAdded(record, found.group, from: nil))
        }
        remember(known)
        logs[found.group] = found
    }

    private mutating func add(_ log: GroupIndex) {
        logs[log.group] = log
        added.append(log.group)
        outcomes.append(.groupAdded(log))
    }

    private mutating func remember(_ known: GroupIndex) {
        if former[known.group] == nil { former[known.group] = known }
    }
}
