/// An HAProxy that passes connections on as it is told to. It ends as it is let go of, or with the process.
package final class TestBalancer: Sendable {
    private let program: ScriptedProgram

    private static let script = """
        trap '' INT TERM HUP
        PATH=$PATH:/usr/sbin
        command -v haproxy >/dev/null || { echo 'haproxy is missing: scripts/setup --tests installs it'; exit 1; }
        folder=$(mktemp -d /tmp/lockstep-haproxy-XXXXXX) && cd "$folder" || exit 1
        printf '%s\\n' "$settings" >settings
        # It goes on by itself once it listens.
        said=$(haproxy -D -p "$folder/pid" -f settings 2>&1 >/dev/null) || { rm -rf "$folder"; echo "$said"; exit 1; }
        echo "at $folder"
        exec >/dev/null 2>&1
        read -r _
        kill -KILL $(cat pid)
        rm -rf "$folder"
        """

    /// Starts it with this file of settings, and waits until it can be connected to.
    ///
    /// - Throws: where it can't be started, what to install, or what it says of the settings.
    package init(_ settings: String) throws {
        program = try ScriptedProgram(TestBalancer.script, ["settings": settings])
    }
}
