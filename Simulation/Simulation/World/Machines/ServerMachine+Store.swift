import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import SQLiteKit

// The contents of the server's store.
extension ServerMachine {
    /// The logs of all groups; nil while the server is down.
    var logs: [GroupIndex]? {
        guard database == nil else {
            return (try? openedToRead()?.read { try $0.readableLogs().logs.values.map(\.self) }) ?? []
        }
        guard isUp, let running else { return nil }
        return running.threads.writer.groups.values.filter { !deleted.contains($0.name.group) }
    }

    /// A description of a limit that some group exceeds, or nil if none does.
    var excess: String? {
        if let excess = logs?.lazy.compactMap({ [limits] in $0.excess(over: limits) }).first { return excess }
        guard let store = openedToRead() else { return nil }
        return try? store.excess()
    }

    /// Opens the store, as each of the server's threads does.
    ///
    /// - Parameter number: The server's number in a shared store.
    func openStore(
        _ access: SQLiteServerStore.Access, as number: Int64? = nil
    ) throws -> any ServerStore {
        guard let database else {
            return try SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: access)
        }
        return try SharedServerStore(database, of: index, access: access, server: number)
    }

    /// Returns the store, opened to read as another process would; nil if that fails.
    func openedToRead() -> SQLiteServerStore? {
        try? SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readOnly)
    }

    /// Returns the version vector of a group's log. If the server shares its store and doesn't follow the
    /// group, the vector is read from the store.
    func vector(of group: GroupID) -> VersionVector {
        guard let writer = running?.threads.writer, let log = writer.groups[group] else {
            return VersionVector()
        }
        guard database != nil, !writer.follows(group) else { return log.vector }
        return (try? openedToRead()?.read { try $0.log(of: log.number) })?.vector ?? VersionVector()
    }

    /// Returns the number of events that a group has in the store.
    func events(of group: GroupID) -> Int {
        vector(of: group).heads.values.reduce(0) { $0 + Int($1.seq) }
    }

    /// Returns the store's number of a group.
    func number(of group: GroupID) -> Int64? { running?.threads.writer.groups[group]?.name.number }

    /// Runs an operator's command on the store, as another process would.
    func operate(_ body: (any ServerTransaction) throws -> Void) throws {
        let store = try SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readWrite)
        try store.write(body)
        if let database {
            let numbers = Set(try store.read { try $0.groupNumbers().values })
            database.rows.connections = database.rows.connections.filter { numbers.contains($0.key.group) }
        }
        database?.changeRosters()
        database?.notify(NewsNotice.ofOrdersOrEnd)
    }
}
