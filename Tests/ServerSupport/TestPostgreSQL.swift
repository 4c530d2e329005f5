import Foundation
package import PostgreSQLKit
import Synchronization

/// A PostgreSQL in a temporary folder, at a socket there, and with no port. It ends as it is let go of, or with the process,
/// however that ends, and its folder goes too.
package final class TestPostgreSQL: Sendable {
    /// Why there is none.
    package typealias Failure = ScriptedProgram.Failure

    /// Its folder, in which its socket is too.
    let socket: String
    private let databases = Atomic(0)
    private let program: ScriptedProgram

    private static let started = Result { try TestPostgreSQL() }

    /// The one that all tests of this process have together, which is started as the first of them asks for it.
    ///
    /// - Throws: where it can't be started, what to install.
    package static var running: TestPostgreSQL { get throws { try started.get() } }

    /// Makes the database in a folder whose path it prints, and removes it once nobody holds its input open any more. As
    /// root it is another user's: PostgreSQL doesn't run as root.
    private static let script = """
        trap '' INT TERM HUP
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
        [ -x "$bin/postgres" ] || { echo 'PostgreSQL is missing: scripts/setup --tests installs it'; exit 1; }
        folder=$(mktemp -d /tmp/lockstep-postgresql-XXXXXX) && cd "$folder" || exit 1
        user=
        if [ "$(id -u)" = 0 ]; then chown postgres "$folder" && user='setpriv --reuid postgres --regid postgres --clear-groups'; fi
        export LC_ALL=C
        if [ -n "$primary" ]; then
            $user "$bin/pg_basebackup" -D "$folder/data" -h "$primary" -U postgres -c fast -X stream -R --no-sync
        else
            $user "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --no-sync
        fi >"$folder.log" 2>&1 &&
        cat >>"$folder/data/postgresql.conf" <<END &&
        unix_socket_directories = '$folder'
        listen_addresses = ''
        fsync = off
        full_page_writes = off
        max_connections = 200
        autovacuum = off
        shared_buffers = 64MB
        END
        if [ -n "$port" ]; then
            $user openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost -keyout data/server.key -out data/server.crt >>"$folder.log" 2>&1
            printf '%s\n' "listen_addresses = '127.0.0.1'" "port = $port" 'ssl = on' >>data/postgresql.conf
        fi &&
        cat >"$folder/control" <<END &&
        cd $folder || exit 1
        $user $bin/pg_ctl -D data -w -t 60 -s -l log "\\$@"
        END
        sh "$folder/control" start >>"$folder.log" 2>&1
        if [ $? = 0 ]; then echo "at $folder"; else echo 'PostgreSQL does not start:'; cat "$folder.log" "$folder/log"; fi
        exec >/dev/null 2>&1
        read -r _
        sh "$folder/control" stop -m immediate
        rm -rf "$folder" "$folder.log"
        """

    /// One of a test's own, which it may stop.
    ///
    /// - Parameter port: where it can be reached by TLS alone as `localhost`, with a certificate that it has made itself; nil
    ///   where only its socket is to be.
    /// - Throws: where it can't be started, what to install.
    package convenience init(port: UInt16? = nil) throws {
        try self.init(["port": port.map(String.init) ?? ""])
    }

    /// A standby of another one, which from now on acknowledges no commit before this has it too.
    ///
    /// - Parameter waits: false where the other one goes on alone, and this has what it has committed a moment later.
    /// - Throws: where it can't be started, what to install.
    package convenience init(standbyOf primary: TestPostgreSQL, waits: Bool = true) throws {
        try self.init(["primary": primary.socket])
        guard waits else { return }
        try primary.rows("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.rows("SELECT pg_reload_conf()")
    }

    private init(_ variables: [String: String]) throws {
        program = try ScriptedProgram(
            TestPostgreSQL.script, ["port": "", "primary": ""].merging(variables) { $1 })
        socket = program.folder
    }

    /// The file of its own certificate, which nobody trusts.
    package var certificate: String { "\(socket)/data/server.crt" }

    /// Has it stop as a crash would, and waits until it has.
    package func stop() throws { try control("stop -m immediate") }

    /// Starts it again, and waits until it can be asked.
    package func start() throws { try control("start") }

    /// Has a standby take over, and waits until it can be written to.
    package func promote() throws { try control("promote") }

    private func control(_ words: String) throws {
        // Not by Foundation's `Process`: that waits for whoever has its descriptors, as the database goes on having them.
        guard system("exec sh '\(socket)/control' \(words) </dev/null >/dev/null 2>&1") == 0 else {
            throw Failure(description: "PostgreSQL doesn't \(words)")
        }
    }

    /// Whether each commit waits for a standby that is there.
    package func hasSynchronousStandby() throws -> Bool {
        try rows("SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')").count > 0
    }

    /// How many events a server's store has, in a database that may be a standby's.
    package func eventCount(in database: String) throws -> Int64 {
        try rows("SELECT coalesce(sum(count), 0)::bigint FROM segments", in: database).first?[0] ?? 0
    }

    /// Asks one of its databases for something, as an administrator might.
    @discardableResult
    package func rows(_ sql: String, in database: String = "postgres") throws -> PostgreSQLRows {
        try PostgreSQLConnection(to: address(of: database, "&target_session_attrs=any")).rows(sql)
    }

    /// Ends all connections to one of its databases.
    package func endConnections(to database: String) throws {
        try rows(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '\(database)'")
    }

    /// The address of one of its databases, as an operator writes it who names its standby too.
    package func addressText(of database: String, or standby: TestPostgreSQL) -> String {
        "postgresql:///\(database)?host=\(socket),\(standby.socket)&user=postgres"
    }

    /// The address of one of its databases.
    package func address(of database: String, _ more: String = "") throws -> PostgreSQLAddress {
        let uri = "postgresql:///\(database)?host=\(socket)&user=postgres\(more)"
        guard let address = PostgreSQLAddress(uri) else { throw Failure(description: uri) }
        return address
    }

    /// The same as text, as an operator writes it.
    package func makeDatabaseText() throws -> String { try makeDatabase().shown }

    /// The address of a database that is there, as an operator writes it.
    package func addressText(of database: String) throws -> String { try address(of: database).shown }

    /// The address of a database with nothing in it, that no other test has.
    package func makeDatabase() throws -> PostgreSQLAddress { try address(of: makeDatabaseName()) }

    /// Its name.
    package func makeDatabaseName() throws -> String {
        let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
        try rows("CREATE DATABASE \(name)")
        return name
    }
}
