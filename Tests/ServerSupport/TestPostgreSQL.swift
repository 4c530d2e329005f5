import Foundation
package import PostgreSQLKit
import Synchronization

/// A PostgreSQL of this test process's own, which is started as the first test asks for it: in a temporary folder, at a
/// socket there, and with no port. It ends with the process, however that ends, and its folder goes too.
package final class TestPostgreSQL: Sendable {
    /// Why there is none.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let socket: String
    private let databases = Atomic(0)
    /// As long as this is open, the database goes on.
    private let life: FileHandle

    private static let started = Result { try TestPostgreSQL() }

    /// The one that this process has.
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
        $user "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --no-sync >"$folder.log" 2>&1 &&
        $user "$bin/pg_ctl" -D "$folder/data" -w -t 60 -s -l "$folder/log" start -o "-k '$folder' -c listen_addresses= \
        -c fsync=off -c full_page_writes=off -c max_connections=200 -c autovacuum=off -c shared_buffers=64MB" >>"$folder.log" 2>&1
        if [ $? = 0 ]; then echo "at $folder"; else echo 'PostgreSQL does not start:'; cat "$folder.log" "$folder/log"; fi
        exec >/dev/null 2>&1
        read -r _
        $user "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop
        rm -rf "$folder" "$folder.log"
        """

    private init() throws {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", TestPostgreSQL.script]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        life = input.fileHandleForWriting
        // Other programs that tests start must not keep it open.
        _ = fcntl(life.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard said.hasPrefix("at ") else { throw Failure(description: said) }
        socket = said.dropFirst(3).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The address of one of its databases.
    package func address(of database: String) throws -> PostgreSQLAddress {
        let uri = "postgresql:///\(database)?host=\(socket)&user=postgres"
        guard let address = PostgreSQLAddress(uri) else { throw Failure(description: uri) }
        return address
    }

    /// The address of a database with nothing in it, that no other test has.
    package func makeDatabase() throws -> PostgreSQLAddress {
        let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
        let connection = try PostgreSQLConnection(to: address(of: "postgres"))
        _ = try connection.rows("CREATE DATABASE \(name)")
        return try address(of: name)
    }
}
