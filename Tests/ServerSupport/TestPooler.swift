package import PostgreSQLKit

/// A pgbouncer in front of a test's PostgreSQL, with a socket in a temporary folder.
///
/// It ends when this object is released or when the process ends.
package final class TestPooler: Sendable {
    /// The span for which pgbouncer gives a client one session of the database.
    package enum Mode: String, CaseIterable, Sendable {
        case session, transaction, statement
    }

    private let program: ScriptedProgram

    /// Starts pgbouncer and waits until it is ready. If run as root, it switches to another user, like the
    /// database.
    private static let script = """
        trap '' INT TERM HUP
        PATH=$PATH:/usr/sbin
        command -v pgbouncer >/dev/null || { echo 'pgbouncer is missing: scripts/setup --tests installs it'; exit 1; }
        folder=$(mktemp -d /tmp/lockstep-pgbouncer-XXXXXX) && cd "$folder" || exit 1
        user=
        if [ "$(id -u)" = 0 ]; then chown postgres "$folder" && user='setpriv --reuid postgres --regid postgres --clear-groups'; fi
        printf '%s\\n' '"postgres" ""' >users
        cat >settings <<END
        [databases]
        * = host=$database
        [pgbouncer]
        pool_mode = $mode
        server_round_robin = $inTurn
        unix_socket_dir = $folder
        listen_port = 5432
        auth_type = trust
        auth_file = $folder/users
        log_connections = 0
        log_disconnections = 0
        log_stats = 0
        END
        mkfifo log
        $user pgbouncer settings >/dev/null 2>log &
        exec 3<log
        said=
        while read -r line <&3; do
            case $line in *'process up'*) said="at $folder"; break ;; esac
            said="$said $line"
        done
        echo "$said"
        exec >/dev/null 2>&1
        read -r _
        kill -KILL $!
        rm -rf "$folder"
        """

    /// Starts pgbouncer in front of `database`.
    ///
    /// - Parameter inTurn: Whether it uses its sessions in rotation, instead of the most recently used one.
    /// - Throws: `ScriptedProgram.Failure` if it doesn't start. The text says how to install it.
    package init(before database: TestPostgreSQL, _ mode: Mode, inTurn: Bool = false) throws {
        program = try ScriptedProgram(
            TestPooler.script,
            ["database": database.socket, "mode": mode.rawValue, "inTurn": inTurn ? "1" : "0"])
    }

    /// The address of a database, through pgbouncer.
    package func address(of database: String) throws -> PostgreSQLAddress {
        let uri = "postgresql:///\(database)?host=\(program.folder)&user=postgres"
        guard let address = PostgreSQLAddress(uri) else { throw ScriptedProgram.Failure(description: uri) }
        return address
    }
}
