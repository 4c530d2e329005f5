package import FocusStore
package import SystemKit

/// The paths of a device's own files (docs/commands.md, "Files").
///
/// They follow the XDG base directory specification. If `FOCUS_HOME` is set, all are in the one folder that
/// it names, so that one machine can be several devices.
package struct Home: Hashable, Sendable {
    /// The folder of the log and the device's key.
    package let data: String
    /// The folder of files that exist only while the agent runs: its socket.
    package let runtime: String
    /// The folder of the person's own files: hooks.
    package let configuration: String

    /// The paths that these environment variables give.
    ///
    /// - Throws: `homeless` if neither the environment nor the system's list of users gives a folder.
    package init(_ environment: Environment) throws(DeviceFailure) {
        if let home = environment["FOCUS_HOME"] {
            self.init(folder: home)
            return
        }
        let folder = environment.folder
        guard let base = folder("XDG_DATA_HOME") ?? environment.home.map({ "\($0)/.local/share" }) else {
            throw .homeless
        }
        let data = "\(base)/focus"
        let configuration = folder("XDG_CONFIG_HOME") ?? environment.home.map { "\($0)/.config" } ?? base
        self.init(
            data: data, runtime: folder("XDG_RUNTIME_DIR").map { "\($0)/focus" } ?? data,
            configuration: "\(configuration)/focus")
    }

    /// Paths in one folder.
    package init(folder: String) { self.init(data: folder, runtime: folder, configuration: folder) }

    private init(data: String, runtime: String, configuration: String) {
        self.data = data
        self.runtime = runtime
        self.configuration = configuration
    }

    /// The device's log.
    package var database: String { "\(data)/log.db" }

    /// The device's key and certificate.
    package var identity: String { "\(data)/identity.pem" }

    /// The socket of an agent that is started in this environment, unless it has to use another
    /// (`agentSockets`).
    package var agentSocket: String { "\(runtime)/agent.sock" }

    /// The folder of the programs that run when something happens.
    package var hooks: String { "\(configuration)/hooks" }

    /// Creates the log's folder for this user only, if it is missing. An existing folder keeps its mode. The
    /// agent makes the runtime folder.
    ///
    /// - Throws: `noFolder` if a file is in its place, or the system's error.
    package func create() throws(DeviceFailure) {
        guard canHaveDataFolder else { throw noFolderError }
        do throws(SystemError) {
            try NewFile.makeFolders(data)
        } catch {
            throw .system(error)
        }
    }

    /// Whether the log's folder exists or can be made. False if a file is in its place, or in that of a
    /// parent folder.
    package var canHaveDataFolder: Bool {
        var status = stat()
        if stat(data, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        return errno != ENOTDIR
    }

    /// The failure to throw if there can't be such a folder.
    var noFolderError: DeviceFailure { .noFolder(data) }
}

/// The reason why something failed on this laptop or its log. Nothing was changed.
package enum DeviceFailure: Error, Hashable, Sendable {
    /// Neither the environment nor the system's list of users gives a folder for the log.
    case homeless
    /// A file is in the place of the laptop's folder, at this path.
    case noFolder(String)
    /// A call of the system failed.
    case system(SystemError)
    /// An operation on the log at this path failed.
    case store(StoreError, path: String)
    /// No folder can be made for a copy of the log.
    case noCopy(StoreError)
    /// The file at this path doesn't hold the key by which the laptop's group knows it.
    case key(KeyTrouble, path: String)
    /// The laptop is already in a group.
    case inGroup
    /// The laptop is in no group.
    case inNoGroup

    /// The state of the key's file.
    package enum KeyTrouble: Hashable, Sendable {
        /// The file doesn't exist.
        case gone
        /// It holds another key.
        case another
    }
}
