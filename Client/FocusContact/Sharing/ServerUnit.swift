package import SystemKit

/// The systemd unit that runs the server of `focus share`, for one user.
package struct ServerUnit: Hashable, Sendable {
    /// The name of its file.
    package static let name = "focus-server.service"
    /// A text that occurs in each such file, and in no other.
    package static let identifyingText = "started by 'focus share'"

    /// The path of its file.
    package let path: String
    private let words: [String]

    /// Makes the unit for a command. Nil if there is no folder for it, or if a unit can't name these paths.
    ///
    /// - Parameters:
    ///   - words: The path of `focusd`, and its arguments.
    ///   - data: The path of the server's data folder, which is among the arguments.
    init?(running words: [String], in data: String, _ environment: Environment) {
        guard let path = ServerUnit.path(environment), let program = words.first, UnitWord.canName(program),
            UnitWord.canName(data)
        else { return nil }
        self.path = path
        self.words = words
    }

    /// Returns the path of the file; nil if there is no home folder.
    package static func path(_ environment: Environment) -> String? {
        let configuration = environment.folder("XDG_CONFIG_HOME") ?? environment.home.map { "\($0)/.config" }
        return configuration.map { "\($0)/systemd/user/\(name)" }
    }

    /// Whether another program wrote the file at `path`, so that it must not be changed.
    static func isForeign(_ path: String) -> Bool {
        guard access(path, F_OK) == 0 else { return false }
        guard let bytes = try? FileDescriptor.contents(of: path) else { return true }
        return !String(decoding: bytes, as: UTF8.self).contains(identifyingText)
    }

    /// The content of the file (systemd.service(5)).
    var text: String {
        """
        # The server of a laptop that shares its session, \(ServerUnit.identifyingText). 'focus share --stop' removes it.
        [Unit]
        Description=Lockstep focus server of this user

        [Service]
        ExecStart=\(words.map(UnitWord.quoted).joined(separator: " "))
        Restart=on-failure
        RestartSec=2
        # A restart doesn't help after wrong usage (2).
        RestartPreventExitStatus=2
        UMask=0077

        [Install]
        WantedBy=default.target

        """
    }

    private static let systemctl = ["systemctl", "--user"]
    /// The command that tests whether systemd can be reached for this user.
    static let question = systemctl + ["show-environment"]
    /// The commands that load the file and run the server, now and from login on.
    static let enabling = [
        systemctl + ["daemon-reload"], systemctl + ["enable", name], systemctl + ["restart", name],
    ]
    /// The command that ends the server, so that it isn't started again.
    static let disabling = systemctl + ["disable", "--now", name]
    /// The command that makes systemd forget the file after it was removed.
    static let reloading = systemctl + ["daemon-reload"]
}
