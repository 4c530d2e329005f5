package import FocusServerFiles
package import TestSupport

extension TemporaryFolder {
    /// A server's data folder there.
    package var data: DataFolder { DataFolder(path: path) }
}
