import ClientSupport
import FocusAgent
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

    @Test("whatever the environment, there is one lock, beside the log and for its user alone")
    func one() throws {
        #expect(session.agentSocket != bare.agentSocket)
        let lock = try #require(try AgentLock(path: session.agentLock))
        #expect(try AgentLock(path: bare.agentLock) == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/focus/agent.lock")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        withExtendedLifetime(lock) {}
    }

    @Test("the folder by another name has the same lock")
    func link() throws {
        let other = "\(folder.path)/other"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: bare.data)
        let lock = try #require(try AgentLock(path: bare.agentLock))
        lock.tell(address)
        #expect(try AgentLock(path: Home(folder: other).agentLock) == nil)
        #expect(Home(folder: other).presentSocket == address.socket)
    }

    @Test("who looks learns where the agent listens, and is in nobody's way")
    func looking() throws {
        #expect(AgentLock.holder(bare.agentLock) == .none)
        let lock = try #require(try AgentLock(path: session.agentLock))
        #expect(AgentLock.holder(bare.agentLock) == .starting)
        #expect(bare.presentSocket == nil, "another log's agent may be there")
        lock.tell(address)
        #expect(AgentLock.holder(bare.agentLock) == .agent(address))
        #expect(bare.presentSocket == address.socket)
        #expect(session.presentSocket == address.socket)
        let shorter = AgentAddress(process: 1, socket: "/s")
        lock.tell(shorter)
        #expect(AgentLock.holder(bare.agentLock) == .agent(shorter))
    }

    @Test("what an agent that was killed left there counts for nothing")
    func stale() throws {
        try Data(address.line.utf8).write(to: URL(fileURLWithPath: bare.agentLock))
        #expect(AgentLock.holder(bare.agentLock) == .none)
        #expect(bare.presentSocket == nil)
        let lock = try #require(try AgentLock(path: bare.agentLock))
        #expect(AgentLock.holder(bare.agentLock) == .starting, "until it says where it listens")
        withExtendedLifetime(lock) {}
        #expect(FileManager.default.contents(atPath: bare.agentLock) == Data("starting\n".utf8))
    }

    @Test("an agent that the disk has no room for to say where it listens is looked for where it would")
    func silent() throws {
        let lock = try #require(try AgentLock(path: bare.agentLock))
        lock.tell(address)
        try #require(truncate(bare.agentLock, 0) == 0)
        #expect(AgentLock.holder(bare.agentLock) == .silent)
        #expect(bare.presentSocket == bare.agentSocket)
        withExtendedLifetime(lock) {}
    }

    @Test("a lock is let go with whoever held it")
    func end() throws {
        do {
            let lock = try #require(try AgentLock(path: bare.agentLock))
            lock.tell(address)
        }
        #expect(bare.presentSocket == nil)
        #expect(try AgentLock(path: bare.agentLock) != nil)
    }

    @Test("a lock whose file was taken away, or gave way to another, is known as out of place")
    func displaced() throws {
        let lock = try #require(try AgentLock(path: bare.agentLock))
        #expect(lock.isInPlace)
        try FileManager.default.removeItem(atPath: bare.agentLock)
        #expect(!lock.isInPlace)
        let next = try #require(try AgentLock(path: bare.agentLock))
        #expect(!lock.isInPlace)
        #expect(next.isInPlace)
    }

    @Test("what is no address says none", arguments: ["", "{", "{}\n", "nonsense\n", "{\"process\":1}\n"])
    func malformed(text: String) { #expect(AgentAddress(line: Array(text.utf8)) == nil) }

    @Test("an address that isn't written to its end, or that is no path, says none")
    func cut() {
        #expect(AgentAddress(line: Array(address.line.utf8)) == address)
        #expect(AgentAddress(line: Array(address.line.utf8.dropLast())) == nil)
        let relative = AgentAddress(process: 1, socket: "agent.sock")
        #expect(AgentAddress(line: Array(relative.line.utf8)) == nil)
    }
}
