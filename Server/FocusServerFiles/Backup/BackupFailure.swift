package import FocusServerStore
package import SQLiteKit

/// Why no backup can be made, or none be restored.
package enum BackupFailure: Error, Hashable, Sendable {
    /// There is a file at this path already.
    case exists(String)
    /// The copy for this path can't be written.
    case unwritable(String, SQLiteError)
    /// This is wrong with the store.
    case storeIsDamaged(StoreProblem)
    /// The server's keys are others than those in the copy.
    case keysChanged
    /// There is so much too little room in the folder, in bytes.
    case noRoom(in: String, needed: Int64, free: Int64)
    /// The file at this path isn't a whole database.
    case isNotWhole(String, SQLiteError)
    /// The database at this path is no store that this version can read.
    case isForeign(String, SchemaError)
    /// The backup at this path would take the place of a server that is in the folder.
    case wouldReplace(String, DataFolder)
    /// The server's key was made at this path by another process meanwhile.
    case keyExists(String)
}
