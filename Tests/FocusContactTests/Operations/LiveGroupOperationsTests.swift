import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import Synchronization
import SystemKit
import TestSupport
import TestTraits
import Testing

/// Group operations over real sockets, to a server that doesn't exist: nothing listens at this machine's port
/// 1.
@Suite("Group operations from a front end")
struct LiveGroupOperationsTests {
    private let laptop = TestContext(folder: TemporaryHome(), environment: ["FOCUS_NO_AGENT": "1"])
    private let operations: LiveGroupOperations

    init() {
        operations = LiveGroupOperations(laptop.machine, opened: { _ in }, tell: { _, _ in })
    }

    /// Returns the error of a group operation; nil if the operation succeeds.
    private func trouble(_ body: () throws(GroupOperationError) -> Void) -> GroupOperationError? {
        do throws(GroupOperationError) { try body() } catch { return error }
        return nil
    }

    /// Puts the laptop into a group with an unreachable server.
    private func enter() throws -> Device {
        let device = try Device(laptop.machine)
        try StagedServer(VirtualTime(laptop)).admit(device)
        try device.store.setText("127.0.0.1:1", for: .servers)
        return device
    }

    /// Gives the laptop the key of its group's server.
    private func makeServer(of device: Device) throws -> SharedServer {
        let server = SharedServer(device.home)
        try NewFile.makeFolders(server.data)
        let key = try IdentityFile(path: "\(server.data)/identity.pem").loadOrCreate().keyHash
        try device.store.setServerPin(ServerPin(key))
        return server
    }

    @Test("fail if the laptop is in no group", .ends(within: .seconds(30)))
    func noGroup() throws {
        _ = try Device(laptop.machine)
        for trouble in [
            trouble { () throws(GroupOperationError) in _ = try operations.sync() },
            trouble { () throws(GroupOperationError) in _ = try operations.invite() },
        ] {
            guard case .noGroup? = trouble?.cause else {
                Issue.record("\(trouble as Any)")
                continue
            }
            #expect(trouble?.standing == .notDone)
        }
    }

    @Test(
        "fail at once if the server is unreachable, and say what holds then",
        .ends(within: .seconds(30)))
    func unreachable() throws {
        let device = try enter()
        let key = Digest(InlineArray(repeating: 9))
        let troubles: [(GroupOperationError?, GroupOperationError.Standing)] = [
            (trouble { () throws(GroupOperationError) in _ = try operations.sync() }, .unsynced),
            (trouble { () throws(GroupOperationError) in _ = try operations.check() }, .notDone),
            (trouble { () throws(GroupOperationError) in _ = try operations.invite() }, .withoutInvite),
            (trouble { () throws(GroupOperationError) in _ = try operations.revoke([key]) }, .decidedHere),
        ]
        for (trouble, standing) in troubles {
            guard case .ended(.unreachable)? = trouble?.cause else {
                Issue.record("\(trouble as Any)")
                continue
            }
            #expect(trouble?.standing == standing)
        }
        #expect(try device.store.state().rulings[key]?.isRevoked == true)
    }

    @Test(
        "a laptop that was the server and no longer shares says so, unless the server may have moved",
        .ends(within: .seconds(30)))
    func stopped() throws {
        let device = try enter()
        let server = try makeServer(of: device)
        try server.store(SharedServer.Record(port: 1, isOn: false))
        let failed = trouble { () throws(GroupOperationError) in _ = try operations.invite() }
        #expect(failed?.cause == .sharing(.stopped) && failed?.standing == .withoutInvite)
        try server.store(SharedServer.Record(port: 1, isOn: false, isMoving: true))
        let moved = trouble { () throws(GroupOperationError) in _ = try operations.invite() }
        guard case .ended(.unreachable)? = moved?.cause else {
            Issue.record("\(moved as Any)")
            return
        }
    }

    @Test(
        "a server that has moved away is neither shared here again nor kept here",
        .ends(within: .seconds(30)))
    func moved() throws {
        let device = try enter()
        let server = try makeServer(of: device)
        func sharing() -> GroupOperationError? {
            trouble { () throws(GroupOperationError) in
                _ = try operations.share(called: nil, cancellation: Cancellation())
            }
        }
        try server.store(SharedServer.Record(port: 1, isOn: false, isMoving: true))
        #expect(sharing()?.cause == .sharing(SharingFailure.away(["127.0.0.1:1"])))
        let address = try #require(try Membership(device)?.server)
        server.recordAnswer(at: address, wasGone: false)
        #expect(server.record?.hasMoved == false, "the server here may have answered before it ended")
        server.recordAnswer(at: address, wasGone: true)
        #expect(server.record == SharedServer.Record(port: 1, isOn: false, hasMoved: true))
        #expect(!server.hasStopped(address) && !server.isShared(address))
        #expect(sharing()?.cause == .sharing(.otherServer(["127.0.0.1:1"])))
        for address in ["auto", "focus.example.org"] {
            let moving = trouble { () throws(GroupOperationError) in
                _ = try operations.prepareMove(to: address, isConfirmed: true)
            }
            #expect(moving?.cause == .sharing(.otherServer(["127.0.0.1:1"])))
        }
    }

    @Test("sharing can be cancelled while it asks whether the server has moved", .ends(within: .seconds(30)))
    func cancelledSharing() throws {
        let silent = socket(AF_INET, streamSocket, 0)
        defer { close(silent) }
        // Without an address, it listens at a free port.
        try #require(listen(silent, 1) == 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(silent, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        try #require(isNamed == 0)
        let device = try enter()
        try device.store.setText("127.0.0.1:\(UInt16(bigEndian: address.sin_port))", for: .servers)
        try makeServer(of: device).store(SharedServer.Record(port: 1, isOn: false, isMoving: true))
        let cancellation = Cancellation()
        cancellation.giveUp()
        let failure = trouble { () throws(GroupOperationError) in
            _ = try operations.share(called: nil, cancellation: cancellation)
        }
        #expect(failure?.cause == .givenUp)
    }

    @Test("ending to share takes back that the server runs on this laptop", .ends(within: .seconds(30)))
    func ending() throws {
        func isMoving(_ end: SharingEnd) -> Bool? {
            if case .outside(let isMoving) = end.state { isMoving } else { nil }
        }
        let device = try enter()
        try SharedServer(device.home).store(SharedServer.Record(port: 1, isOn: true))
        #expect(try device.writeServer(isHere: true))
        #expect(try isMoving(operations.stopSharing()) == false)
        #expect(try device.store.state().server == nil)
        try SharedServer(device.home).store(SharedServer.Record(port: 1, isOn: true, isMoving: true))
        #expect(try isMoving(operations.stopSharing()) == true)
    }

    @Test("if the server can't be ended, the log still says that it is here", .ends(within: .seconds(30)))
    func endingFails() throws {
        let device = try enter()
        let server = try makeServer(of: device)
        try server.store(SharedServer.Record(port: 1, isOn: true))
        #expect(try device.writeServer(isHere: true))
        let lock = try LockFile(path: "\(server.data)/focusd.lock")
        let configuration = TemporaryHome()
        let unit = "\(configuration.path)/systemd/user/focus-server.service"
        try NewFile.makeFolders("\(configuration.path)/systemd/user")
        try WholeFile.replace(unit, with: "[Service]\n")
        let laptop = TestContext(
            home: device.home.data,
            environment: ["FOCUS_NO_AGENT": "1", "XDG_CONFIG_HOME": configuration.path])
        let operations = LiveGroupOperations(laptop.machine, opened: { _ in }, tell: { _, _ in })
        let failure = withExtendedLifetime(lock) {
            trouble { () throws(GroupOperationError) in _ = try operations.stopSharing() }
        }
        #expect(failure?.cause == .sharing(.foreignUnit(unit)))
        let key = try device.store.serverPin()?.key.beginning
        #expect(try key != nil && device.store.state().server?.key == key)
    }

    @Test("a cancellation reaches a listener that is set later, once", .ends(within: .seconds(30)))
    func givenUp() throws {
        _ = try enter()
        let giving = Cancellation()
        giving.giveUp()
        let counted = Mutex(0)
        giving.setHandler { counted.withLock { $0 += 1 } }
        giving.setHandler(nil)
        giving.giveUp()
        #expect(counted.withLock { $0 } == 1, "who listens late hears of it, and nobody after that")
    }

    @Test("sharing from a laptop whose group has another server is refused, and names that")
    func sharingElsewhere() throws {
        _ = try enter()
        let trouble = trouble { () throws(GroupOperationError) in
            _ = try operations.share(called: nil, cancellation: Cancellation())
        }
        #expect(trouble?.cause == .sharing(.otherServer(["127.0.0.1:1"])))
        let ending = self.trouble { () throws(GroupOperationError) in _ = try operations.stopSharing() }
        #expect(ending?.cause == .sharing(.notShared))
        let moving = self.trouble { () throws(GroupOperationError) in
            _ = try operations.prepareMove(to: "focus.example.org", isConfirmed: false)
        }
        #expect(moving?.cause == .sharing(.notShared))
    }
}
