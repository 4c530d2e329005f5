import ClientSupport
import FocusContact
import FocusDevice
import Foundation
import Glibc
import SystemKit
import Testing

@Suite("One agent for a log")
struct AgentLockTests {
    private let folder = TemporaryHome()
    /// Two environments of one person. The second one has no folder for runtime files.
    private let session: Home
    private let bare: Home

    init() throws {
        session = try Home(folder.session)
        bare = try Home(Environment(["HOME": folder.path, "XDG_DATA_HOME": folder.path]))
        try bare.create()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/run/focus", withIntermediateDirectories: true)
    }

    private let address = AgentAddress(process: 17, socket: "/run/user/1/focus/agent.sock")

    @Test("a log has one lock in every environment, beside the log and private to its user")
    func one() throws {
        #expect(session.agentSocket != bare.agentSocket)
        let lock = try #require(try AgentLock(path: session.agentLock))
        #expect(try AgentLock(path: bare.agentLock) == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/focus/agent.lock")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        withExtendedLifetime(lock) {}
    }

    @Test("a symbolic link to the folder leads to the same lock")
    func link() throws {
        let other = "\(folder.path)/other"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: bare.data)
        let lock = try #require(try AgentLock(path: bare.agentLock))
        lock.writeAddress(address)
        #expect(try AgentLock(path: Home(folder: other).agentLock) == nil)
        #expect(Home(folder: other).presentSocket == address.socket)
    }

    @Test("a process without the lock can read where the agent listens")
    func looking() throws {
        #expect(AgentLock.holder(bare.agentLock) == .none)
        let lock = try #require(try AgentLock(path: session.agentLock))
        #expect(AgentLock.holder(bare.agentLock) == .starting)
        #expect(bare.presentSocket == nil, "another log's agent may be there")
        lock.writeAddress(address)
        #expect(AgentLock.holder(bare.agentLock) == .agent(address))
        #expect(bare.presentSocket == address.socket)
        #expect(session.presentSocket == address.socket)
        let shorter = AgentAddress(process: 1, socket: "/s")
        lock.writeAddress(shorter)
        #expect(AgentLock.holder(bare.agentLock) == .agent(shorter))
    }

    @Test("an address that a killed agent left in the lock file is ignored")
    func stale() throws {
        try Data(address.line.utf8).write(to: URL(fileURLWithPath: bare.agentLock))
        #expect(AgentLock.holder(bare.agentLock) == .none)
        #expect(bare.presentSocket == nil)
        let lock = try #require(try AgentLock(path: bare.agentLock))
        #expect(AgentLock.holder(bare.agentLock) == .starting, "until it says where it listens")
        withExtendedLifetime(lock) {}
        #expect(FileManager.default.contents(atPath: bare.agentLock) == Data("starting\n".utf8))
    }

    @Test("an agent that couldn't write its address is looked for at the usual socket")
    func silent() throws {
        let lock = try #require(try AgentLock(path: bare.agentLock))
        lock.writeAddress(address)
        try #require(truncate(bare.agentLock, 0) == 0)
        #expect(AgentLock.holder(bare.agentLock) == .silent)
        #expect(bare.presentSocket == bare.agentSocket)
        withExtendedLifetime(lock) {}
    }

    @Test("a malformed, incomplete or relative address is nil")
    func malformed() {
        for text in ["", "{", "{}\n", "nonsense\n", "{\"process\":1}\n"] {
            #expect(AgentAddress(line: Array(text.utf8)) == nil)
        }
        #expect(AgentAddress(line: Array(address.line.utf8)) == address)
        #expect(AgentAddress(line: Array(address.line.utf8.dropLast())) == nil)
        let relative = AgentAddress(process: 1, socket: "agent.sock")
        #expect(AgentAddress(line: Array(relative.line.utf8)) == nil)
    }
}
