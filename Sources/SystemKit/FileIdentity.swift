/// Which file it is, whatever it is called: another file at the same path is another one.
package struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    /// The file that is open; nil where it can't be looked at.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file at `path`; nil where there is none, or it can't be looked at.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }
}
