import SystemKit

/// The folder that the server keeps everything in, for its user alone.
package struct DataFolder: Hashable, Sendable {
    /// Where it is, as it was named: from the working directory where it begins with no slash.
    package let path: String
    /// Whether it was named with `--data`, so that every command for it has to name it.
    package let isNamed: Bool

    /// The folder at this path, as `--data` names it.
    package init(path: String) {
        self.path = path
        isNamed = true
    }

    /// The folder where none is named: what systemd gives a service (`STATE_DIRECTORY`, /var/lib/focusd), else
    /// `focusd` in the XDG data folder.
    ///
    /// - Parameter environment: the value of a variable, nil where it isn't set.
    package init(environment: (String) -> String?) throws(FolderFailure) {
        isNamed = false
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        // systemd lists several with colons between them; the unit asks for one.
        if let state = variable("STATE_DIRECTORY")?.split(separator: ":").first {
            path = String(state)
        } else if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
            path = "\(data)/focusd"
        } else if let home = variable("HOME") {
            path = "\(home)/.local/share/focusd"
        } else {
            throw .noHome
        }
    }

    /// The SQLite file.
    package var store: String { "\(path)/focusd.db" }
    /// The server's key and certificate.
    package var identity: String { "\(path)/identity.pem" }
    /// The key that the server announces, and will have, where it is about to change its key.
    package var nextIdentity: String { "\(path)/identity.next.pem" }
    /// What the operator sets, where there is such a file.
    package var settings: String { "\(path)/focusd.conf" }
    /// What operators did.
    package var audit: String { "\(path)/audit.log" }
    /// Held by the server that runs.
    var lock: String { "\(path)/focusd.lock" }

    /// Makes the folder, and those above it, where they aren't there.
    package func create() throws(FileFailure) {
        var end = path.startIndex
        while end != path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let folder = String(path[..<end])
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST
            else { throw FileFailure(.make, folder) }
        }
    }

    /// Gives a file that root made here to the user whose the folder is, as a service needs it.
    package func takeOver(_ file: String) {
        var status = stat()
        // Who isn't root can't give files away, and has made them as oneself.
        guard stat(path, &status) == 0 else { return }
        _ = chown(file, status.st_uid, status.st_gid)
    }

    /// The same folder, where `init` has made a server in it.
    ///
    /// - Throws: `FolderFailure.noServer` where it hasn't; `FileFailure`.
    package func initialised() throws -> DataFolder {
        for file in [identity, store] where access(file, F_OK) != 0 {
            guard errno == ENOENT else { throw FileFailure(.open, file) }
            throw FolderFailure.noServer(self)
        }
        return self
    }
}
