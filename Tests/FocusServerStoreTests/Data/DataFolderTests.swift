import CommandLineKit
import FocusSeal
import Foundation
import SQLiteKit
import ServerSupport
import Synchronization
import SystemKit
import TestSupport
import Testing

@testable import FocusServerStore

@Suite struct DataFolderTests {
    @Test("the data is where systemd, XDG or the home folder say, in this order") func places() throws {
        var variables = ["STATE_DIRECTORY": "/var/lib/focusd", "XDG_DATA_HOME": "/x", "HOME": "/h"]
        #expect(try DataFolder(environment: Environment(variables)).path == "/var/lib/focusd")
        variables["STATE_DIRECTORY"] = ""
        #expect(try DataFolder(environment: Environment(variables)).path == "/x/focusd")
        variables["XDG_DATA_HOME"] = "relative"
        #expect(try DataFolder(environment: Environment(variables)).path == "/h/.local/share/focusd")
        let listed = Environment([:], listedHome: "/l")
        #expect(try DataFolder(environment: listed).path == "/l/.local/share/focusd")
        #expect(throws: FolderFailure.noHome) { try DataFolder(environment: Environment([:])) }
    }

    @Test("without --data and a server of its own, a command finds the service's, or asks for a folder")
    func service() throws {
        let folder = try TemporaryFolder()
        let usual = try DataFolder(environment: Environment(["XDG_DATA_HOME": folder.file("data")]))
        let service = folder.file("service")
        #expect(usual.withServer(orAt: service) == usual, "neither has one")
        try usual.requireIntended(besides: service)
        try DataFolder(path: service).create()
        _ = try IdentityFile(path: DataFolder(path: service).identity).loadOrCreate()
        #expect(usual.withServer(orAt: service) == DataFolder(path: service))
        #expect(usual.withServer(orAt: service).isNamed, "what is said of it names it")
        #expect(throws: FolderFailure.isAmbiguous(usual, DataFolder(path: service))) {
            try usual.requireIntended(besides: service)
        }
        let named = DataFolder(path: folder.file("named"))
        #expect(named.withServer(orAt: service) == named)
        try named.requireIntended(besides: service)
        let given = try DataFolder(environment: Environment(["STATE_DIRECTORY": folder.file("given")]))
        #expect(given.withServer(orAt: service) == given, "systemd gave it")
        try given.requireIntended(besides: service)
        try usual.create()
        _ = try IdentityFile(path: usual.identity).loadOrCreate()
        #expect(usual.withServer(orAt: service) == usual)
        try usual.requireIntended(besides: service)
    }

    @Test("a folder without a server's files says which of them it lacks")
    func initialised() throws {
        let folder = try TemporaryFolder()
        let data = folder.data
        #expect(throws: FolderFailure.noServer(data)) { try data.initialised() }
        _ = try IdentityFile(path: data.identity).loadOrCreate()
        #expect(throws: FolderFailure.noStore(data)) { try data.initialised() }
        _ = try SQLiteServerStore(at: data.store, access: .readWriteCreate)
        #expect(try data.initialised() == data)
        try FileManager.default.removeItem(atPath: data.identity)
        #expect(throws: FolderFailure.noKey(data)) { try data.initialised() }
    }

    @Test("what is made is for its user alone") func modes() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(path: folder.file("a/b"))
        try data.create()
        _ = try SQLiteServerStore(at: data.store, access: .readWriteCreate)
        _ = try IdentityFile(path: data.identity).loadOrCreate()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(data.path) == 0o700)
        #expect(try mode(data.store) == 0o600)
        #expect(try mode(data.identity) == 0o600)
    }

    @Test("one process serves from a folder at a time") func lock() throws {
        let folder = try TemporaryFolder()
        #expect(!DataLock.isHeld(folder.data))
        do {
            let lock = try DataLock(folder.data)
            #expect(DataLock.isHeld(folder.data))
            #expect(throws: FolderFailure.isServed(folder.data)) { _ = try DataLock(folder.data) }
            _ = consume lock
        }
        #expect(!DataLock.isHeld(folder.data))
    }

    @Test("who is refused the lock closes its own file once, and nobody else's")
    func refusedLock() async throws {
        let folder = try TemporaryFolder()
        let lock = try DataLock(folder.data)
        // Other files are opened and closed all the while, as by other threads of a server.
        let isDone = Mutex(false)
        async let lost = DataFolderTests.lostFiles { isDone.withLock(\.self) }
        for _ in 0..<20_000 { _ = try? DataLock(folder.data) }
        isDone.withLock { $0 = true }
        #expect(await lost == 0)
        _ = consume lock
    }

    /// Opens and closes files until `isDone`. Returns the number of files that were closed by other code
    /// meanwhile.
    @concurrent private static func lostFiles(until isDone: @Sendable () -> Bool) async -> Int {
        var lost = 0
        repeat {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if (0..<20).contains(where: { _ in fcntl(descriptor, F_GETFD) < 0 }) { lost += 1 }
            close(descriptor)
        } while !isDone()
        return lost
    }
}
