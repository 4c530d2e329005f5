package import SQLiteKit

/// Why a data folder can't be used.
package enum FolderFailure: Error, Hashable, Sendable {
    /// No folder is named, and there is no home folder for one.
    case noHome
    /// There is no server in it yet.
    case noServer(DataFolder)
    /// Another process serves from it.
    case isServed(DataFolder)
    /// A server of an older version serves from it, so that its store can't be brought to this one's version.
    case isServedByOlder(DataFolder, SchemaError)
    /// The server's key isn't in this file.
    case noKey(String)
}
