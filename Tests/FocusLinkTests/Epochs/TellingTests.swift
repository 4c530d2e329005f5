import ClientSupport
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

@Suite("What a laptop and its server tell each other of who is in, and who is out")
struct TellingTests {
    private let context: TestContext
    private let device: Device
    private let server = SilentServer()
    private let observer = NoticeListener()
    private let home = TemporaryHome()

    init() throws {
        context = TestContext(home: home.path, now: 1_763_661_600_000)
        device = try Device(context.machine)
        try TestGroup.enter(device.store)
    }

    /// Connects to a server that has an empty welcome.
    private func connect(_ time: VirtualTime? = nil) throws -> SyncDriver {
        let driver = try SyncDriver.connecting(
            to: server, device.store, time ?? VirtualTime(context), observer)
        driver.connect(to: server, of: TestGroup.id)
        return driver
    }

    /// Returns the numbers of the requests to revoke this device, in order.
    private func revocations(of device: Digest) throws -> [RequestNumber] {
        try server.requests.filter { $0.request == .revoke(device) }.map { $0.number }
    }

    @Test("a laptop that is connected tells it what a command wrote that didn't get to the server, once")
    func late() throws {
        let driver = try connect()
        let lost = Digest(InlineArray(repeating: 9))
        #expect(try revocations(of: lost).isEmpty)

        try device.rule([.revoke(lost)])
        driver.sendChanges()
        driver.sendChanges()
        #expect(try revocations(of: lost).count == 1)
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test(
        "a server that has revoked a device before only says that it is done, and then it is kept as revoked")
    func revokedBefore() throws {
        let driver = try connect()
        let lost = Digest(InlineArray(repeating: 9))
        try device.rule([.revoke(lost)])
        driver.sendChanges()
        let number = try #require(try revocations(of: lost).first)
        #expect(try !device.store.devices().contains { $0.key == lost && $0.isRevoked })

        driver.received(Message.done(number).encoded(), on: server)
        #expect(try device.store.devices().contains { $0.key == lost && $0.isRevoked })
        #expect(observer.done == [.revoke(lost)])
        #expect(observer.refusals == 0)
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("a server that couldn't keep somebody out for now is told again, until it can")
    func putOff() throws {
        let time = VirtualTime(context)
        let driver = try connect(time)
        let lost = Digest(InlineArray(repeating: 9))
        func told() throws -> Int { try revocations(of: lost).count }
        func refuse(_ retry: Refusal.Retry) throws {
            let number = try #require(try revocations(of: lost).last)
            driver.received(
                Message.refused(number, Refusal(.noRoom, "full", retry: retry)).encoded(), on: server)
        }
        try device.rule([.revoke(lost)])
        driver.sendChanges()
        #expect(try told() == 1)
        try refuse(.after(5_000))
        time.pass(.milliseconds(4_999))
        #expect(try told() == 1)
        time.pass(.milliseconds(1))
        #expect(try told() == 2)
        // The roster names the device as revoked, too. Only the server's own word would end the retries.
        try device.store.upsert([RosterEntry(device: lost, isRevoked: true)])
        // After a refusal that names hardly any time, or none, the device still waits a second.
        try refuse(.after(1))
        time.pass(.milliseconds(999))
        #expect(try told() == 2)
        time.pass(.milliseconds(1))
        #expect(try told() == 3)
        #expect(observer.refusals == 1, "it is said once")
        driver.received(Message.revoked(lost).encoded(), on: server)
        time.pass(.seconds(30))
        #expect(try told() == 3)
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test(
        "a laptop that is shut out by what it alone can read tells the server, once; one that leaves does as it goes"
    )
    func itself() throws {
        let own = try TestGroup.device().publicKey.hash()
        let driver = try connect()
        try device.rule([.revoke(own)])
        driver.sendChanges()
        #expect(try revocations(of: own).isEmpty)
        try device.rule([.readmit(own)])
        driver.sendChanges()
        #expect(try revocations(of: own).isEmpty)

        try mergeOther(.revoke(own))
        driver.sendChanges()
        driver.sendChanges()
        #expect(try revocations(of: own).count == 1)
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("a laptop that a trusted epoch's record names as shut out tells the server")
    func itselfInRecord() throws {
        let own = try TestGroup.device().publicKey.hash()
        let (next, record) = try TestGroup.nextEpoch(for: TestGroup.device(), without: [own])
        let driver = try connect()
        driver.received(Message.epoch(record).encoded(), on: server)
        #expect(try device.store.epochs().last?.id == next.epoch)
        #expect(try asked(.revoke) == [.revoke(own)])
        #expect(observer.end == nil)
        driver.leave()
    }

    /// Merges an event that another laptop has written under the group's first epoch.
    private func mergeOther(_ action: Action) throws {
        let stamp = try #require(Stamp(time: 1_763_661_601_000, counter: 9))
        let event = Event(replica: ReplicaID(rawValue: 0x77), seq: 1, stamp: stamp, action: action)
        let epoch = try TestGroup.key().epoch
        _ = try device.store.merge([StoredEvent(event, epoch: epoch)], acknowledged: true)
    }

    /// Sends the server's time, without which nothing is uploaded.
    private func tellTime(_ driver: SyncDriver) {
        let served = ClockAnswer.Served(received: 1_763_661_600_000_000, sent: 1_763_661_600_000_000)
        driver.received(
            Message.pong(ClockAnswer(asked: VirtualTime(context).now(), served: served)).encoded(), on: server
        )
    }

    /// Returns the messages of one type that the server received.
    private func told(_ type: MessageType) throws -> [Message] {
        try server.messages.filter { $0.type == type }
    }

    /// Returns the requests in the messages of one type that the server received.
    private func asked(_ type: MessageType) throws -> [GroupRequest] {
        try told(type).compactMap { if case .request(_, let request) = $0 { request } else { nil } }
    }

    @Test(
        "a server that lacks the epoch of what it is sent is told its name, and sent it again at once, once")
    func lackingEpoch() throws {
        _ = try device.perform(.start(label: nil))
        let replica = try #require(try device.store.ownReplicas().first)
        func uploads() throws -> Int {
            try told(.upload).count {
                if case .upload(let segment) = $0 { segment.replica == replica } else { false }
            }
        }
        let first = try TestGroup.key().epoch
        try mergeOther(.device(name: "sofa", key: nil))
        let driver = try connect()
        tellTime(driver)
        #expect(try asked(.keepEpoch) == [])
        #expect(try uploads() == 1)

        let stop = Ack.Stop(code: .unknownEpoch)
        let refusal = Message.ack(Ack(replica: replica, head: .empty, stop: stop)).encoded()
        driver.received(refusal, on: server)
        #expect(try asked(.keepEpoch) == [.epoch(EpochRecord(naming: first))])
        #expect(try uploads() == 2)
        #expect(!observer.notices.contains(.stopped(.unknownEpoch)))
        driver.received(refusal, on: server)
        #expect(try asked(.keepEpoch).count == 1)
        #expect(try uploads() == 2)
        #expect(observer.notices.contains(.stopped(.unknownEpoch)))
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("a server that takes nothing is a trouble while something waits for it, until it takes that")
    func takesNothing() throws {
        _ = try device.perform(.start(label: nil))
        let replica = try #require(try device.store.ownReplicas().first)
        try device.record(ConnectionState(.online))
        let time = VirtualTime(context)
        let driver = try connect(time)
        tellTime(driver)
        func trouble() throws -> [Trouble] { try device.troubles(device.store.state(), at: device.now()) }
        func answer(_ head: Head, _ stop: RefusalCode?) {
            let stop = stop.map { Ack.Stop(code: $0, after: .seconds(1)) }
            let ack = Ack(replica: replica, head: head, stop: stop)
            driver.received(Message.ack(ack).encoded(), on: server)
            // The laptop sends again after this time.
            time.pass(.seconds(1))
        }
        #expect(try trouble() == [.eventsRefused(.clockNotSure)], "as its welcome says")
        for code in [RefusalCode.groupFull, .noRoom, .internal] {
            answer(.empty, code)
            #expect(try trouble() == [.eventsRefused(code)])
        }
        let look = try connect(time)
        look.leave()
        #expect(try trouble() == [.eventsRefused(.internal)], "a look at the server sends nothing")
        try device.record(ConnectionState(.offline))
        #expect(try trouble() == [], "that it is offline is said instead")
        try device.record(ConnectionState(.online))
        let last = try #require(try device.store.replica(replica)?.seq)
        let log = try #require(try SealedLog(device.store))
        answer(try #require(try log.chains(of: replica, at: [last]).first), nil)
        #expect(try device.store.pendingCount() == 0)
        _ = try device.perform(.pause)
        #expect(try trouble() == [])
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("a server that lacks the epoch which the next one follows is told its name, and asked again soon")
    func lackingPredecessor() throws {
        let first = try TestGroup.key().epoch
        try mergeOther(.device(name: "sofa", key: nil))
        let own = try TestGroup.device().publicKey
        _ = try device.store.author(now: 1_763_661_600_000) {
            try $0.write(.device(name: "desk", key: own.hash().hexadecimal, publicKey: own.bytes))
        }
        let time = VirtualTime(context)
        let driver = try connect(time)
        try device.rule([.revoke(Digest(InlineArray(repeating: 9)))])
        driver.sendChanges()
        func refuse() throws {
            time.pass(.seconds(5))
            guard case .request(let number, _) = try told(.successor).last else { return }
            let refusal = Refusal(.unknownEpoch, "not here", retry: .never)
            driver.received(Message.refused(number, refusal).encoded(), on: server)
        }
        try refuse()
        #expect(try told(.successor).count == 1)
        #expect(try asked(.keepEpoch) == [.epoch(EpochRecord(naming: first))])
        try refuse()
        #expect(try told(.successor).count == 2)
        time.pass(.seconds(5))
        #expect(try told(.successor).count == 2, "not at the speed of the line")
        #expect(try asked(.keepEpoch).count == 1)
        #expect(observer.notices.contains { if case .keyUnchanged = $0 { true } else { false } })
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("the maker of an epoch first tells the server of the revocation by another laptop that it follows")
    func revokedByOther() throws {
        let lost = Digest(InlineArray(repeating: 9))
        let own = try TestGroup.device().publicKey
        _ = try device.store.author(now: 1_763_661_600_000) {
            try $0.write(.device(name: "desk", key: own.hash().hexadecimal, publicKey: own.bytes))
        }
        let time = VirtualTime(context)
        let driver = try connect(time)
        try mergeOther(.revoke(lost))
        driver.sendChanges()
        time.pass(.seconds(5))
        let types = try server.messages.map { $0.type }.filter { $0 == .revoke || $0 == .successor }
        #expect(types == [.revoke, .successor])
        #expect(try asked(.revoke) == [.revoke(lost)])
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("whoever follows is told of each acknowledgement, also while there is more to send")
    func acknowledged() throws {
        _ = try device.perform(.start(label: nil))
        let own = try #require(try device.store.ownReplicas().first)
        let driver = try connect()
        func head() throws -> Head { try #require(try SealedLog(device.store)).vector()[own] }
        func acknowledge(_ head: Head) {
            driver.received(Message.ack(Ack(replica: own, head: head, stop: nil)).encoded(), on: server)
        }
        tellTime(driver)
        let named = try head()
        _ = try device.perform(.pause)
        driver.sendChanges()
        let pressed = try head()
        #expect(named.seq > 0 && named.seq < pressed.seq)
        let settled = observer.settled

        acknowledge(named)
        #expect(observer.acknowledgements == 1)
        #expect(observer.settled == settled)
        #expect(try device.store.pendingCount() == pressed.seq - named.seq)
        acknowledge(pressed)
        #expect(observer.acknowledgements == 2)
        #expect(try device.store.pendingCount() == 0)
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test("a laptop keeps who comes in while it is connected, and no more of them than there is room for")
    func comingIn() throws {
        let driver = try connect()
        func say(_ devices: [Digest], isConnected: Bool = true) {
            let presence = devices.map { Presence(device: $0, isConnected: isConnected, lastSeen: 0) }
            driver.received(Message.presence(presence).encoded(), on: server)
        }
        let (newcomer, lost) = (Digest(InlineArray(repeating: 8)), Digest(InlineArray(repeating: 9)))
        try device.store.upsert([RosterEntry(device: lost, isRevoked: true)])
        say([newcomer, lost])
        say([newcomer], isConnected: false)
        let kept = try device.store.devices()
        #expect(kept.first { $0.key == newcomer }?.isRevoked == false)
        #expect(kept.first { $0.key == lost }?.isRevoked == true)

        var random = SeededGenerator(seed: 1)
        for _ in 0..<3 {
            say(
                try (0..<Limits.devices / 2).map { _ in
                    let bytes = (0..<Digest.length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
                    return try #require(Digest(bytes: bytes))
                })
        }
        #expect(try device.store.devices().count == Limits.unnamedDevices)
        #expect(observer.end == nil)
        driver.leave()
    }

    @Test(
        "a laptop whose own event has the hash of its key alone, as an older version wrote it, says the key, and gets the next epoch's"
    )
    func hashAlone() throws {
        let key = try TestGroup.device().publicKey
        let hash = try key.hash()
        try device.store.setText(hash.hexadecimal, for: .deviceKey)
        _ = try device.store.author(now: 1_763_661_600_000) {
            try $0.write(.device(name: "desk", key: hash.hexadecimal))
        }
        let driver = try connect()
        let named = try #require(try device.store.state().devices.values.first)
        #expect(named.name == "desk")
        #expect(named.key == hash)
        #expect(named.publicKey == key.bytes)
        #expect(try device.store.ownReplicas().count == 1)

        // The plan of another laptop after a revocation.
        let other = try TestGroup.device(2).publicKey
        let log = try #require(try SealedLog(device.store))
        try mergeOther(.device(name: "sofa", key: try other.hash().hexadecimal, publicKey: other.bytes))
        try device.rule([.revoke(Digest(InlineArray(repeating: 9)))])
        let plan = try #require(try log.plan(log.adopt(with: nil).ring, by: other.hash()))
        #expect(try Set(plan.making.devices.keys) == [hash, other.hash()])
        #expect(observer.end == nil)
        driver.leave()

        let written = try device.store.eventCount()
        try connect().leave()
        #expect(try device.store.eventCount() == written, "once is enough")
    }
}
