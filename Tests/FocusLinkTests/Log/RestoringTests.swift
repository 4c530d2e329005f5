import ClientSupport
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

@Suite("A laptop whose server was restored")
struct RestoringTests {
    /// A server that receives bytes only when the test says so.
    private final class SlowServer: SyncTransport {
        private(set) var unsentBytes = 0
        var peerDescription: String { "the server" }
        private(set) var most = 0
        private var decoder = FrameDecoder()
        /// The epochs of the records that the server received.
        private(set) var told: [EpochID] = []

        func send(_ bytes: [UInt8]) {
            unsentBytes += bytes.count
            most = max(most, unsentBytes)
            decoder.append(bytes[...])
            while let frame = try? decoder.next() {
                if case .epoch(let record)? = try? Message(frame) { told.append(record.epoch) }
            }
        }

        func close() {}
        func abort() {}
        func takeAll() { unsentBytes = 0 }
    }

    @Test("gives it records that are more than a connection holds, none before there is room")
    func manyRecords() throws {
        let home = TemporaryHome()
        let context = TestContext(home: home.path, now: 1_763_661_600_000)
        let store = try Device(context.machine).store
        let group = GroupID(high: 1, low: 2)
        let first = try EpochKey(SecretBytes(Array(0..<32)))
        try store.enter(group, StoredEpoch(id: first.epoch, key: Array(0..<32), predecessor: nil))
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        // Records of epochs that were made for another device.
        let other = try AgreementKey(number: SecretBytes(Array(repeating: 2, count: 32)))
        let revoked = try (0..<EpochBody.deviceLimit).map { number in
            var bytes = [UInt8](repeating: 7, count: Digest.length)
            (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 255))
            return try #require(Digest(bytes: bytes))
        }
        let making = EpochBody.Making(
            group: group, predecessor: first, beside: [],
            devices: [try other.publicKey.hash(): other.publicKey], revoked: Set(revoked))
        var epochs: Set<EpochID> = []
        for _ in 0..<70 {
            let (key, body) = try EpochBody.make(making, SecretBytes.random)
            try store.add(EpochRecord(epoch: key.epoch, predecessor: first.epoch, body: body.bytes))
            epochs.insert(key.epoch)
        }

        let server = SlowServer()
        let observer = NoticeListener()
        let driver = try SyncDriver(
            .sync(try #require(try SealedLog(store))), by: [{ _ in server }], secrets: DeviceSecrets(own),
            pace: .afterAWhile, store: store, clock: ClockEstimate(offset: .zero), time: VirtualTime(context),
            observer: observer)
        driver.connect(toServerOf: group)
        for _ in epochs {
            server.takeAll()
            driver.drained()
        }
        #expect(observer.end == nil)
        // The epoch that these follow has no record, and is only named.
        #expect(server.told.count == epochs.count + 1)
        #expect(Set(server.told) == epochs.union([first.epoch]))
        #expect(revoked.count * Digest.length * epochs.count > 8 << 20)
        #expect(server.most < 256 << 10)
        driver.leave()
    }
}
