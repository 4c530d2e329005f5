package import FocusServerStore
package import TestSupport

extension TemporaryFolder {
    /// A server's data folder at this path.
    package var data: DataFolder { DataFolder(path: path) }
}
