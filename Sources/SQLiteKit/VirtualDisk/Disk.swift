import Glibc

/// Where a connection's files are.
package enum Disk {
    /// The machine's file system.
    case machine
    /// A disk in memory, for simulations and tests.
    case virtual(VirtualDisk)

    /// The name of SQLite's file system for it; nil for the one that SQLite takes by itself.
    var fileSystem: String? {
        switch self {
        case .machine: nil
        case .virtual(let disk): disk.name
        }
    }

    /// Whether anything is at `path`, as far as can be seen: true where a folder on the way may not be searched.
    package func fileExists(path: String) -> Bool {
        switch self {
        case .machine: access(path, F_OK) == 0 || errno != ENOENT
        case .virtual(let disk): disk.fileExists(path: path)
        }
    }
}
