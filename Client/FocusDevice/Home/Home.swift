package import FocusStore
package import SystemKit

/// Where a device keeps what is its own (docs/commands.md, "Files").
///
/// By the XDG base directory specification, or all under one folder where `FOCUS_HOME` names it, so that one
/// machine can be several devices.
package struct Home: Hashable, Sendable {
    /// The log, and the device's identity.
    package let data: String
    /// What lives as long as the agent runs: its socket.
    package let runtime: String
    /// What the person puts there: hooks.
    package let configuration: String

    /// - Throws: `homeless` if neither the environment nor the system's list of users says where the files belong.
    package init(_ environment: Environment) throws(DeviceFailure) {
        if let home = environment["FOCUS_HOME"] {
            self.init(folder: home)
            return
        }
        // The specification wants paths that aren't absolute to be passed over.
        func folder(_ variable: String) -> String? {
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let base = folder("XDG_DATA_HOME") ?? environment.home.map({ "\($0)/.local/share" }) else {
            throw .homeless
        }
        let data = "\(base)/focus"
        let configuration = folder("XDG_CONFIG_HOME") ?? environment.home.map { "\($0)/.config" } ?? base
        self.init(
            data: data, runtime: folder("XDG_RUNTIME_DIR").map { "\($0)/focus" } ?? data,
            configuration: "\(configuration)/focus")
    }

    /// Everything under one folder.
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

    /// Where an agent that is started in this environment listens, as long as it can.
    package var agentSocket: String { "\(runtime)/agent.sock" }

    /// The programs that run as something happens.
    package var hooks: String { "\(configuration)/hooks" }

    /// Makes the folder of the log where it is missing, for this user alone; one that is there keeps its mode. That of
    /// what runs is made by the agent.
    ///
    /// - Throws: `noFolder` where a file is in its place, and what the system says.
    package func create() throws(DeviceFailure) {
        guard canBeFolder else { throw noFolder }
        do throws(SystemError) {
            try NewFile.makeFolders(data)
        } catch {
            throw .system(error)
        }
    }

    /// Whether the folder of the log is one, or could be made: false where a file is in its place or on the way there.
    package var canBeFolder: Bool {
        var status = stat()
        if stat(data, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        return errno != ENOTDIR
    }

    /// What is wrong where there can't be such a folder.
    var noFolder: DeviceFailure { .noFolder(data) }
}

/// Why something can't be done on this laptop and its log. Nothing was changed.
package enum DeviceFailure: Error, Hashable, Sendable {
    /// Neither the environment nor the system's list of users says where the log belongs.
    case homeless
    /// Something that is no folder is where the laptop's folder belongs, at this path.
    case noFolder(String)
    /// A call of the system failed.
    case system(SystemError)
    /// The log at this path failed.
    case store(StoreError, path: String)
    /// No folder can be made for a copy of the log.
    case noCopy(StoreError)
    /// The key that the laptop's group knows it by isn't in the file at this path.
    case key(KeyTrouble, path: String)
    /// The laptop is in a group already.
    case inGroup
    /// The laptop is in no group.
    case inNoGroup

    /// What is in the place of the key.
    package enum KeyTrouble: Hashable, Sendable {
        /// Nothing: the file is gone.
        case gone
        /// Another key.
        case another
    }
}
