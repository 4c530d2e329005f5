import SystemKit
import TestSupport
import Testing

@Suite("Files that are locked")
struct LockFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/some.lock"
    }

    /// The text in the lock's file, or nil if nobody holds the lock.
    private var said: String? {
        LockFile.text(at: path, limit: 16).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("one has the lock at a time, and who looks is in nobody's way")
    func one() throws {
        #expect(!LockFile.isHeld(path))
        do {
            let lock = try #require(try LockFile(path: path))
            #expect(LockFile.isHeld(path))
            #expect(try LockFile(path: path) == nil)
            withExtendedLifetime(lock) {}
        }
        #expect(!LockFile.isHeld(path))
        #expect(try LockFile(path: path) != nil)
    }

    @Test("what is said counts while the lock is held, up to so many bytes")
    func text() throws {
        do {
            let lock = try #require(try LockFile(path: path))
            #expect(said == "")
            lock.write("said at some length")
            #expect(said == "said at some len")
            LockFile.write("shorter", to: path)
            #expect(said == "shorter")
            withExtendedLifetime(lock) {}
        }
        #expect(said == nil)
    }

    @Test("who gets the lock finds nothing that the last one said, and who doesn't get it changes nothing")
    func emptied() throws {
        do {
            let lock = try #require(try LockFile(path: path))
            lock.write("4711")
            #expect(try LockFile(path: path) == nil)
            #expect(said == "4711")
            withExtendedLifetime(lock) {}
        }
        let next = try #require(try LockFile(path: path))
        #expect(said == "")
        withExtendedLifetime(next) {}
    }

    @Test("a file that another one has taken the place of isn't in place")
    func place() throws {
        let lock = try #require(try LockFile(path: path))
        #expect(lock.isInPlace)
        unlink(path)
        #expect(!lock.isInPlace)
        let next = try #require(try LockFile(path: path), "another file has another lock")
        #expect(!lock.isInPlace && next.isInPlace)
    }

    @Test("a lock whose file can't be opened is an error that names it")
    func noFile() {
        let error = #expect(throws: SystemError.self) { try LockFile(path: "/nowhere/some.lock") }
        #expect(error == SystemError("/nowhere/some.lock can't be opened", code: ENOENT))
        #expect(!LockFile.isHeld("/nowhere/some.lock"))
    }

    @Test("no link is followed, neither to lock nor to write nor to look")
    func links() throws {
        let target = "\(folder.path)/target"
        let lock = try #require(try LockFile(path: target))
        lock.write("theirs")
        #expect(symlink(target, path) == 0)
        #expect(throws: SystemError.self) { _ = try LockFile(path: path) }
        LockFile.write("ours", to: path)
        #expect(said == nil)
        #expect(try FileDescriptor.contents(of: target) == Array("theirs".utf8))
        #expect {
            _ = try BackgroundProgram.start("true", ["true"], messages: path)
        } throws: { ($0 as? SystemError)?.action == "\(path) can't be opened" }
        withExtendedLifetime(lock) {}
    }
}
