import ClientSupport
import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusLink

@Suite("A connection that is lost while the laptop catches up")
struct LostConnectionTests {
    private let context = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let observer = NoticeListener()

    @Test("replays the events that it has brought, because views wait for that")
    func replays() throws {
        let store = try Device(context.machine).store
        try TestGroup.enter(store)
        let key = try TestGroup.key()
        let stamp = try #require(Stamp(time: 1_763_661_600_000, counter: 1))
        let event = Event(
            replica: ReplicaID(rawValue: 0x21), seq: 1, stamp: stamp,
            action: .set(key: "dailyGoal", value: 3))
        let sealed = try Sealer(group: TestGroup.id, keys: [key]).seal(event, epoch: key.epoch)
        var builder = SegmentBuilder(replica: event.id.replica, firstSeq: 1, chainBefore: .empty)
        _ = builder.append(stamp: stamp, epoch: key.epoch, body: sealed.body)
        let segment = try #require(builder.segment())

        let server = SilentServer()
        let driver = try SyncDriver.connecting(to: server, store, VirtualTime(context), observer)
        driver.reach(server)
        let welcome = SyncDriver.welcome(to: TestGroup.id) { welcome in
            // The second event doesn't come.
            welcome.vector = VersionVector([event.id.replica: Head(seq: 2, chain: .empty)])
        }
        driver.received(welcome, on: server)
        driver.received(Message.push(segment).encoded(), on: server)
        #expect(try store.hasUnreplayedEvents(moreThan: 0))
        driver.closed(server, .closed)
        #expect(try !store.hasUnreplayedEvents(moreThan: 0))
        #expect(try store.state().settings.dailyGoal == 3)
        #expect(observer.end != nil)
    }
}
