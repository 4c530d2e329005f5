/// Files and folders as this process makes them. What root makes in the folder of another user belongs to that user, who has
/// to be able to use the folder afterwards.
package enum NewFile {
    /// Opens a file for writing, and makes it if it is missing.
    ///
    /// - Parameters:
    ///   - flags: those of open(2). With `O_EXCL` it fails if anything is there.
    ///   - mode: what a new file's mode is, less the umask.
    /// - Returns: the descriptor, or -1 with `errno` set.
    package static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0o600) -> Int32 {
        let flags = flags | O_CREAT | O_CLOEXEC
        guard let place = OthersPlace(path) else {
            return SystemText.withBytes(path) { SystemKit.open($0, flags, mode) }
        }
        // Somebody may make it or remove it between two of these calls.
        for _ in 0..<8 {
            let made = place.withName { openat(place.folder.number, $0, flags | O_EXCL, mode) }
            if made >= 0 {
                place.give(made)
                return made
            }
            guard errno == EEXIST, flags & O_EXCL == 0 else { return -1 }
            let found = place.withName { openat(place.folder.number, $0, flags & ~O_CREAT) }
            if found >= 0 || errno != ENOENT { return found }
        }
        return -1
    }

    /// Makes a folder.
    ///
    /// - Returns: 0, or -1 with `errno` set, as mkdir(2) does.
    package static func makeFolder(_ path: String, _ mode: mode_t = 0o700) -> Int32 {
        guard let place = OthersPlace(path) else { return SystemText.withBytes(path) { mkdir($0, mode) } }
        guard place.withName({ mkdirat(place.folder.number, $0, mode) }) == 0 else { return -1 }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let made = place.withName { openat(place.folder.number, $0, flags) }
        if let made = OwnedDescriptor(made) { place.give(made.number) }
        return 0
    }

    /// Makes a folder, and those above it that are missing, for this user only.
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

    /// Gives a file that root has made elsewhere to the user in whose folder it is to be.
    ///
    /// - Parameters:
    ///   - path: the file. A link, or a file with a second name, stays as it is.
    ///   - target: where it will be.
    package static func give(_ path: String, toOwnerAt target: String) {
        guard let place = OthersPlace(target),
            let file = OwnedDescriptor(SystemKit.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        else { return }
        place.give(file.number)
    }
}

/// Where root makes something in the folder of another user.
private struct OthersPlace {
    let folder: OwnedDescriptor
    private let name: String
    private let user: uid_t
    private let group: gid_t

    /// Nil if this process isn't root's, or the folder is root's or can't be opened.
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

    func withName(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 { SystemText.withBytes(name, body) }

    /// Gives what root has made to the folder's owner. What is another user's already, or has a second name, was made by
    /// somebody else.
    func give(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == 0,
            status.st_mode & S_IFMT == S_IFDIR || status.st_nlink == 1
        else { return }
        _ = fchown(descriptor, user, group)
    }
}
