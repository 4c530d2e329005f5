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
            logs[group] = nil
            return
        }
        for (replica, head) in found.heads.sorted(by: { $0.key < $1.key })
        where head.head.seq > known.head(of: replica).head.seq {
            // Who lacks more than this row reads the rest.
            let last = try transaction.segment(of: replica, holding: head.head.seq, in: known.number)
            guard let last else { continue }
            committed.append(.committed(Push(last), head, group))
        }
        for epoch in found.bodies.subtracting(known.bodies).sorted() {
            guard let record = try transaction.epoch(epoch, in: known.number) else { continue }
            outcomes.append(.epochAdded(record, group, from: nil))
        }
        logs[group] = found
    }

    /// Reads the groups that came to the store and that the writer doesn't have, and who is in all of them: after a commit
    /// that may have been kept.
    mutating func findAdded(_ transaction: any ServerTransaction) throws {
        for (group, log) in try transaction.readableLogs().logs.sorted(by: { $0.key < $1.key })
        where logs[group] == nil {
            logs[group] = log
            added.append(group)
            outcomes.append(.groupAdded(log))
        }
        outcomes.append(.reloaded(try transaction.devices(), Set(logs.keys)))
    }
}
