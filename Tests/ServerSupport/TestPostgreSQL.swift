import Foundation
package import PostgreSQLKit
import Synchronization

/// A PostgreSQL server in a temporary folder, with a socket there and no port.
///
/// It ends when this object is released or when the process ends in any way, and its folder is removed.
package final class TestPostgreSQL: Sendable {
    /// The reason for which it doesn't start.
    package typealias Failure = ScriptedProgram.Failure

    /// The server's folder, which also contains its socket.
    let socket: String
    private let databases = Atomic(0)
    private let program: ScriptedProgram

    private static let started = Result { try TestPostgreSQL() }

    /// The server that all tests of this process share. The first access starts it.
    ///
    /// - Throws: `Failure` if it doesn't start, with what to install.
    package static var running: TestPostgreSQL { get throws { try started.get() } }

    /// Creates and starts a server in a new folder, and prints the folder's path. Once its input is closed,
    /// stops the server and removes the folder. If run as root, it switches to another user, because
    /// PostgreSQL doesn't run as root. The file `control` in the folder is a script that passes its
    /// arguments to pg_ctl.
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

    /// Starts a server for one test, which may stop it.
    ///
    /// - Parameter port: A port for TLS connections to `localhost`, with a self-signed certificate; nil for
    ///   only the socket.
    /// - Throws: `Failure` if it doesn't start, with what to install.
    package convenience init(port: UInt16? = nil) throws {
        try self.init(["port": port.map(String.init) ?? ""])
    }

    /// Starts a standby of `primary`. By default, `primary` then acknowledges a commit only after the standby
    /// has it.
    ///
    /// - Parameter waits: False if `primary` doesn't wait for the standby, which receives each commit a
    ///   moment later.
    /// - Throws: `Failure` if it doesn't start, with what to install.
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

    /// The path of its self-signed certificate.
    package var certificate: String { "\(socket)/data/server.crt" }

    /// Stops the server as a crash would, and waits until it has stopped.
    package func stop() throws { try control("stop -m immediate") }

    /// Starts the server again and waits until it is ready.
    package func start() throws { try control("start") }

    /// Promotes a standby and waits until it is writable.
    package func promote() throws { try control("promote") }

    private func control(_ words: String) throws {
        // Foundation's `Process` would wait until its descriptors are closed everywhere, and the database
        // keeps them open.
        guard system("exec sh '\(socket)/control' \(words) </dev/null >/dev/null 2>&1") == 0 else {
            throw Failure(description: "PostgreSQL doesn't \(words)")
        }
    }

    /// Whether a standby is connected for which each commit waits.
    package func hasSynchronousStandby() throws -> Bool {
        try rows("SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')").count > 0
    }

    /// The number of events in a server's store. The database may be a standby's.
    package func eventCount(in database: String) throws -> Int64 {
        try rows("SELECT coalesce(sum(count), 0)::bigint FROM segments", in: database).first?[0] ?? 0
    }

    /// Runs SQL in one of the databases, as an administrator, and returns the rows.
    @discardableResult
    package func rows(_ sql: String, in database: String = "postgres") throws -> PostgreSQLRows {
        try PostgreSQLConnection(to: address(of: database, "&target_session_attrs=any")).rows(sql)
    }

    /// Ends all connections to a database.
    package func endConnections(to database: String) throws {
        try rows(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '\(database)'")
    }

    /// The address of a database that also names a standby, as an operator writes it.
    package func addressText(of database: String, or standby: TestPostgreSQL) -> String {
        "postgresql:///\(database)?host=\(socket),\(standby.socket)&user=postgres"
    }

    /// The address of a database.
    package func address(of database: String, _ more: String = "") throws -> PostgreSQLAddress {
        let uri = "postgresql:///\(database)?host=\(socket)&user=postgres\(more)"
        guard let address = PostgreSQLAddress(uri) else { throw Failure(description: uri) }
        return address
    }

    /// Creates an empty database and returns its address, as an operator writes it.
    package func makeDatabaseText() throws -> String { try makeDatabase().shown }

    /// The address of an existing database, as an operator writes it.
    package func addressText(of database: String) throws -> String { try address(of: database).shown }

    /// Creates an empty database for one test and returns its address.
    package func makeDatabase() throws -> PostgreSQLAddress { try address(of: makeDatabaseName()) }

    /// Creates an empty database for one test and returns its name.
    package func makeDatabaseName() throws -> String {
        let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
        try rows("CREATE DATABASE \(name)")
        return name
    }
}
