import SystemKit
import TestSupport
import Testing

/// The owners of files that root makes. Any other user can only make files of their own.
@Suite("New files and folders")
struct NewFileTests {
    private let folder: TemporaryFolder
    private let user: uid_t = 12_345

    init() throws { folder = try TemporaryFolder() }

    private func owner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    /// Returns a folder of another user, or nil if this process can't change owners.
    private func othersFolder() throws -> String? {
        let path = "\(folder.path)/others"
        try #require(NewFile.makeFolder(path) == 0)
        return chown(path, user, user) == 0 ? path : nil
    }

    @Test("what root makes in the folder of another user belongs to that user, whatever it is")
    func others() throws {
        guard let others = try othersFolder() else { return }
        let file = try #require(OwnedDescriptor(NewFile.open("\(others)/file", O_RDWR)))
        #expect(owner("\(others)/file") == user)
        try NewFile.makeFolders("\(others)/a/b")
        #expect(owner("\(others)/a") == user && owner("\(others)/a/b") == user)
        let lock = try LockFile(path: "\(others)/a/b/some.lock")
        #expect(owner("\(others)/a/b/some.lock") == user)
        // An existing file keeps its owner.
        #expect(fchown(file.number, 0, 0) == 0)
        #expect(
            OwnedDescriptor(NewFile.open("\(others)/file", O_RDWR)) != nil && owner("\(others)/file") == 0)
        #expect(NewFile.open("\(others)/file", O_RDWR | O_EXCL) == -1 && errno == EEXIST)
        withExtendedLifetime(lock) {}
    }

    @Test(
        "what root makes elsewhere becomes the other user's as it is put there, unless it has a second name")
    func given() throws {
        guard let others = try othersFolder() else { return }
        for name in ["made", "linked"] {
            try #require(OwnedDescriptor(NewFile.open("\(folder.path)/\(name)", O_RDWR)) != nil)
        }
        try #require(link("\(folder.path)/linked", "\(folder.path)/second") == 0)
        try #require(symlink("\(folder.path)/linked", "\(folder.path)/symbolic") == 0)
        for name in ["made", "linked", "symbolic"] {
            NewFile.transfer("\(folder.path)/\(name)", toOwnerAt: "\(others)/\(name)")
        }
        #expect(owner("\(folder.path)/made") == user && owner("\(folder.path)/linked") == 0)
    }

    @Test("a link that leads nowhere isn't followed to make a file there")
    func dangling() throws {
        guard let others = try othersFolder() else { return }
        try #require(symlink("\(folder.path)/elsewhere", "\(others)/file") == 0)
        #expect(NewFile.open("\(others)/file", O_RDWR) == -1)
        #expect(owner("\(folder.path)/elsewhere") == nil)
    }

    @Test("folders that are missing are made, and a file in their place is named")
    func folders() throws {
        try NewFile.makeFolders("\(folder.path)/x/y/")
        #expect(owner("\(folder.path)/x/y") == geteuid())
        try #require(OwnedDescriptor(NewFile.open("\(folder.path)/file", O_RDWR)) != nil)
        #expect(throws: SystemError("\(folder.path)/file/z can't be made", code: ENOTDIR)) {
            try NewFile.makeFolders("\(folder.path)/file/z")
        }
    }
}
