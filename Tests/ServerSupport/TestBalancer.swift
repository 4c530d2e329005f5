/// An HAProxy with settings of the test. It ends when this object is released or when the process ends.
package final class TestBalancer: Sendable {
    private let program: ScriptedProgram

    private static let script = """
        trap '' INT TERM HUP
        PATH=$PATH:/usr/sbin
        command -v haproxy >/dev/null || { echo 'haproxy is missing: scripts/setup --tests installs it'; exit 1; }
        folder=$(mktemp -d /tmp/lockstep-haproxy-XXXXXX) && cd "$folder" || exit 1
        printf '%s\\n' "$settings" >settings
        # With -D, this command returns once HAProxy listens in the background.
        said=$(haproxy -D -p "$folder/pid" -f settings 2>&1 >/dev/null) || { rm -rf "$folder"; echo "$said"; exit 1; }
        echo "at $folder"
        exec >/dev/null 2>&1
        # Waits until the test closes this script's input.
        read -r _
        kill -KILL $(cat pid)
        rm -rf "$folder"
        """

    /// Starts HAProxy with these settings and waits until it listens.
    ///
    /// - Throws: `ScriptedProgram.Failure` if it doesn't start: what to install, or its complaint about the
    ///   settings.
    package init(_ settings: String) throws {
        program = try ScriptedProgram(TestBalancer.script, ["settings": settings])
    }
}
