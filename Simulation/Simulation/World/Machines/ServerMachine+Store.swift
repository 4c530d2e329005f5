import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import SQLiteKit

// What its store has.
extension ServerMachine {
    /// How many groups it has; 0 while it is down.
    var groupCount: Int { logs?.count ?? 0 }

    /// The logs of all groups; nil while it is down.
    var logs: [GroupIndex]? {
        guard database == nil else {
            return (try? openedToRead()?.read { try $0.readableLogs().logs.values.map(\.self) }) ?? []
        }
        guard isUp, let running else { return nil }
        return running.threads.writer.groups.values.filter { !deleted.contains($0.name.group) }
    }

    /// What a group has too much of; nil where none has.
    var excess: String? {
        if let excess = logs?.lazy.compactMap({ [limits] in $0.excess(over: limits) }).first { return excess }
        guard let store = openedToRead() else { return nil }
        return try? store.excess()
    }

    /// A connection to its store, of one of its threads.
    ///
    /// - Parameter number: the number by which it writes to a store that others share.
    func openStore(
        _ access: SQLiteServerStore.Access, as number: Int64? = nil
    ) throws -> any ServerStore {
        guard let database else {
            return try SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: access)
        }
        return try SharedServerStore(database, of: index, access: access, server: number)
    }

    /// The time that it goes by; nil while it is down, and if that depends on when it looked at its clock.
    var time: SharedInstant? {
        guard !everMisset else { return nil }
        return running?.served.now(
            wall: clock.shared, steady: clock.steady,
            acceptances: try? openedToRead()?.read { try $0.orders().clockAcceptances })
    }

    /// The store, as another process would read it.
    func openedToRead() -> SQLiteServerStore? {
        try? SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readOnly)
    }

    /// What a group's log has here. Of a group that nobody here is of, a server that shares its store needn't have read it.
    func vector(of group: GroupID) -> VersionVector {
        guard let writer = running?.threads.writer, let log = writer.groups[group] else {
            return VersionVector()
        }
        guard database != nil, !writer.follows(group) else { return log.vector }
        return (try? openedToRead()?.read { try $0.log(of: log.number) })?.vector ?? VersionVector()
    }

    /// How many events a group has here.
    func events(of group: GroupID) -> Int {
        vector(of: group).heads.values.reduce(0) { $0 + Int($1.seq) }
    }

    /// The number by which its store knows a group.
    func number(of group: GroupID) -> Int64? { running?.threads.writer.groups[group]?.name.number }

    /// Runs an operator's command on the store, as another process would.
    func operate(_ body: (any ServerTransaction) throws -> Void) throws {
        let store = try SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readWrite)
        try store.write(body)
        if let database {
            let numbers = Set(try store.read { try $0.groupNumbers().values })
            database.rows.seats = database.rows.seats.filter { numbers.contains($0.key.group) }
        }
        database?.changeRosters()
        database?.tell(NewsNotice.ofOrders)
    }
}
