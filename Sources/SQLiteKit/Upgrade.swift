/// A database that was brought to a newer version of its schema, and the copy of it as it was.
package struct Upgrade: Hashable, Sendable {
    /// The version that the file had.
    package let from: Int64
    /// The version that it has now.
    package let to: Int64
    /// Where it is kept as it was, readable and writable by its owner alone.
    package let copy: String

    /// An upgrade from one version to a later one, and the path of the copy of the file as it was.
    package init(from: Int64, to: Int64, copy: String) {
        self.from = from
        self.to = to
        self.copy = copy
    }

    /// Where a database at `path` is kept as it was in a version.
    package static func copy(of path: String, version: Int64) -> String { "\(path).version-\(version)" }
}

/// Why a database could not be brought to a newer version: its copy can't be written. Nothing has changed.
package struct UpgradeError: Error, Hashable, Sendable {
    /// The version that the file has.
    package let found: Int64
    /// The version that it would have been brought to.
    package let known: Int64
    /// Where the copy would have been.
    package let copy: String
    /// About how long the copy would have been, in bytes.
    package let bytes: Int64
    /// What went wrong.
    package let cause: SQLiteError
}

extension UpgradeError: CustomStringConvertible {
    package var description: String {
        let size = max(1, bytes >> 20)
        return
            "the database has to be brought from version \(found) to \(known), and the copy that is kept of it "
            + "before, \(copy) (about \(size) MiB), can't be written: \(cause)"
    }
}
