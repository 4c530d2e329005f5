/// Makes files and folders. If root makes one in another user's folder, that user becomes its owner.
/// Otherwise the user could no longer use everything in the folder.
package enum NewFile {
    /// Opens a file for writing, and makes it if it is missing.
    ///
    /// - Parameters:
    ///   - flags: The flags of open(2). With `O_EXCL` it fails if anything exists at the path.
    ///   - mode: The mode of a new file, before the umask is applied.
    /// - Returns: The descriptor, or -1 with `errno` set.
    package static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0o600) -> Int32 {
        let flags = flags | O_CREAT | O_CLOEXEC
        guard let place = OthersPlace(path) else {
            return SystemText.withBytes(path) { SystemKit.open($0, flags, mode) }
        }
        // Another process may make or remove the file between two of these calls.
        for _ in 0..<8 {
            let descriptor = place.withName { openat(place.folder.number, $0, flags | O_EXCL, mode) }
            if descriptor >= 0 {
                place.transfer(descriptor)
                return descriptor
            }
            guard errno == EEXIST, flags & O_EXCL == 0 else { return -1 }
            let found = place.withName { openat(place.folder.number, $0, flags & ~O_CREAT) }
            if found >= 0 || errno != ENOENT { return found }
        }
        return -1
    }

    /// Makes a folder.
    ///
    /// - Returns: 0, or -1 with `errno` set, like mkdir(2).
    package static func makeFolder(_ path: String, _ mode: mode_t = 0o700) -> Int32 {
        guard let place = OthersPlace(path) else { return SystemText.withBytes(path) { mkdir($0, mode) } }
        guard place.withName({ mkdirat(place.folder.number, $0, mode) }) == 0 else { return -1 }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = place.withName { openat(place.folder.number, $0, flags) }
        if let descriptor = OwnedDescriptor(descriptor) { place.transfer(descriptor.number) }
        return 0
    }

    /// Makes a folder and its missing parents, accessible only to this user.
    ///
    /// - Throws: `SystemError`, which names the folder that can't be made.
    package static func makeFolders(_ path: String) throws(SystemError) {
        guard makeFolder(path) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let parent = PathParts.parent(of: path), parent != "/" else {
            throw SystemError("\(path) can't be made")
        }
        try makeFolders(parent)
        guard makeFolder(path) == 0 || errno == EEXIST else { throw SystemError("\(path) can't be made") }
    }

    /// Gives a file that root has made elsewhere to the user who owns its future folder.
    ///
    /// - Parameters:
    ///   - path: The file. A link, or a file with a second name, stays as it is.
    ///   - target: The file's future path.
    package static func transfer(_ path: String, toOwnerAt target: String) {
        guard let place = OthersPlace(target),
            let file = OwnedDescriptor(SystemKit.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        else { return }
        place.transfer(file.number)
    }
}

/// A path at which root makes a file or folder in another user's folder.
private struct OthersPlace {
    let folder: OwnedDescriptor
    private let name: String
    /// The folder's owner.
    private let user: uid_t
    /// The folder's group.
    private let group: gid_t

    /// Nil if this process doesn't run as root, or the folder belongs to root or can't be opened.
    init?(_ path: String) {
        guard geteuid() == 0 else { return nil }
        let parent = PathParts.parent(of: path) ?? "."
        var status = stat()
        guard let folder = OwnedDescriptor(SystemKit.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
            fstat(folder.number, &status) == 0, status.st_uid != 0
        else { return nil }
        self.folder = folder
        (user, group) = (status.st_uid, status.st_gid)
        name = PathParts.name(of: path)
    }

    /// Calls `body` with the last part of the path, for a system call relative to `folder`.
    func withName(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 { SystemText.withBytes(name, body) }

    /// Gives a file or folder that root has made to the folder's owner. Does nothing if another user owns it
    /// already, or if it has a second name: then somebody else made it.
    func transfer(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == 0,
            status.st_mode & S_IFMT == S_IFDIR || status.st_nlink == 1
        else { return }
        _ = fchown(descriptor, user, group)
    }
}
