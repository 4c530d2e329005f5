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
    @Test("gives it records that are more than a connection holds, none before there is room")
    func manyRecords() throws {
        let home = TemporaryHome()
        let context = TestContext(home: home.path, now: 1_763_661_600_000)
        let store = try Device(context.machine).store
        try TestGroup.enter(store)
        let revoked = try (0..<EpochBody.deviceLimit).map { number in
            var bytes = [UInt8](repeating: 7, count: Digest.length)
            (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 255))
            return try #require(Digest(bytes: bytes))
        }
        // These epochs are made for another device.
        var epochs: Set<EpochID> = []
        for _ in 0..<70 {
            let (key, record) = try TestGroup.nextEpoch(for: TestGroup.device(2), without: Set(revoked))
            try store.add(record)
            epochs.insert(key.epoch)
        }

        let server = SilentServer(isSlow: true)
        let observer = NoticeListener()
        let driver = try SyncDriver.connecting(to: server, store, VirtualTime(context), observer)
        driver.connect(to: server, of: TestGroup.id)
        for _ in epochs {
            server.unsentBytes = 0
            driver.drained()
        }
        #expect(observer.end == nil)
        let told = try server.messages.compactMap { message in
            if case .request(_, .epoch(let record)) = message { record.epoch } else { nil }
        }
        // The epoch that these follow has no record, and is only named.
        #expect(told.count == epochs.count + 1)
        #expect(try Set(told) == epochs.union([TestGroup.key().epoch]))
        #expect(revoked.count * Digest.length * epochs.count > 8 << 20)
        #expect(server.most < 256 << 10)
        driver.leave()
    }
}
