import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import Testing

@testable import FocusClient

@Suite("What a laptop tells its server of who was shut out")
struct TellingTests {
    private let home = TemporaryHome()
    private let group = GroupID(high: 1, low: 2)

    @Test("a laptop that is connected tells it what a command wrote that didn't get to the server, once")
    func late()
        throws
    {
        let context = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(context.context)
        let key = try EpochKey(SecretBytes(Array(0..<32)))
        try device.store.enter(group, StoredEpoch(id: key.epoch, key: Array(0..<32), predecessor: nil))
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        let (server, observer) = (SilentServer(), NoticeListener())
        let driver = try SyncDriver(
            .sync(try #require(try GroupLog(device.store))), by: [{ _ in server }],
            secrets: DeviceSecrets(own),
            pace: .afterAWhile, store: device.store, clock: ClockEstimate(offset: 0),
            time: VirtualTime(context), observer: observer)
        driver.start()
        driver.opened(byServer: Digest(InlineArray(repeating: 3)))
        let greeting = Greeting(
            versions: [.one], chosen: .one, clock: ClockAnswer(asked: 0, served: nil), program: "a test")
        let welcome = Welcome(
            group: group, vector: VersionVector(), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
        driver.received(Message.greeting(greeting).encoded() + Message.welcome(welcome).encoded())
        let lost = Digest(InlineArray(repeating: 9))
        let revocation = Message.revoke(lost).encoded()
        #expect(!server.told.contains(revocation))

        try device.rule([.revoke(lost)])
        driver.logChanged()
        driver.logChanged()
        #expect(server.told.count { $0 == revocation } == 1)
        #expect(observer.end == nil)
        driver.leave()
    }
}
