package import SystemKit

// The paths by the environment of this process, and the log's folder on this machine.
extension Home {
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

    /// Creates the log's folder for this user only, if it is missing. An existing folder keeps its mode. The
    /// agent makes the runtime folder.
    ///
    /// - Throws: `noFolder` if a file is in its place, or the system's error.
    package func create() throws(DeviceFailure) {
        guard canHaveDataFolder else { throw .noFolder(data) }
        do throws(SystemError) {
            try NewFile.makeFolders(data)
        } catch {
            throw DeviceFailure(error)
        }
    }

    /// Whether the log's folder exists or can be made. False if a file is in its place, or in that of a
    /// parent folder.
    package var canHaveDataFolder: Bool {
        var status = stat()
        if stat(data, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        return errno != ENOTDIR
    }
}

extension DeviceFailure {
    /// The failure of a call of the system.
    init(_ error: SystemError) { self = .system(error.action, code: error.code) }
}
