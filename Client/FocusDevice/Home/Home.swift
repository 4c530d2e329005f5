package import FocusSeal
package import FocusStore

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

    /// Paths in one folder.
    package init(folder: String) { self.init(data: folder, runtime: folder, configuration: folder) }

    /// Paths in these folders.
    init(data: String, runtime: String, configuration: String) {
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
}

/// The reason why something failed on this laptop or its log. Nothing was changed.
package enum DeviceFailure: Error, Hashable, Sendable {
    /// Neither the environment nor the system's list of users gives a folder for the log.
    case homeless
    /// A file is in the place of the laptop's folder, at this path.
    case noFolder(String)
    /// An action failed, such as "x can't be made", for the reason with this number of the system (`errno`).
    case system(String, code: Int32)
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

/// An error of this device: of its log, of a key, or of its other files.
package enum LocalFailure: Error, Hashable, Sendable {
    case store(StoreError)
    case seal(SealError)
    case device(DeviceFailure)
}

extension LocalFailure: ExpressibleByStoreError {
    /// The failure because of an error of the log.
    package init(_ error: StoreError) { self = .store(error) }
}
