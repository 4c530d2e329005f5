import FocusServerStore
import SQLiteKit

@testable import Simulation

/// A server's store, as SQL statements fill it. Its tables have only the columns that checks read.
enum StoredRows {
    /// The groups, keys and invites.
    static func registry(_ statements: String) throws -> Registry {
        try Registry(
            database(
                """
                CREATE TABLE groups (number INTEGER, id BLOB, deleted INTEGER);
                CREATE TABLE devices (key BLOB, group_number INTEGER, proved INTEGER, revoked INTEGER);
                CREATE TABLE invites (
                    token_hash BLOB, group_number INTEGER, expires INTEGER, redeemed_by BLOB, ended INTEGER,
                    made_by BLOB, bundle BLOB);
                """, statements))
    }

    /// The log and the epochs of group 1.
    static func account(_ statements: String, _ quota: GroupQuota = GroupQuota()) throws -> GroupContents {
        try GroupContents(
            database(
                """
                CREATE TABLE recent (
                    number INTEGER PRIMARY KEY, group_number, replica, first_seq, count, last_stamp,
                    chain_before, chain_after, packed);
                CREATE TABLE heads (group_number, replica, seq, stamp, chain, bytes);
                CREATE TABLE epochs (group_number, epoch, predecessor, body);
                CREATE TABLE brought (group_number, key, replicas, epochs);
                """, statements), 1, quota)
    }

    private static func database(_ tables: String, _ statements: String) throws -> Database {
        let database = try Database(
            path: "/store", on: .virtual(VirtualDisk()), access: .readWriteCreate)
        try database.execute(tables)
        try database.execute(statements)
        return database
    }
}
