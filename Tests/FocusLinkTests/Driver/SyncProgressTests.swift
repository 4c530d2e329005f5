import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import TestSupport
import TestTraits
import Testing

@testable import FocusLink

@Suite("How far a server is known to have each replica")
struct SyncProgressTests {
    @Test(
        "a welcome takes back what a restored server hasn't, but not what another connection was told meanwhile"
    )
    func welcomed() throws {
        let home = TemporaryHome()
        let store = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine).store
        var replicas: [ReplicaID] = []
        for number in 0..<3 {
            let events = try store.author(now: seconds(Int64(number + 1))) { authoring in
                for goal in 1...5 as ClosedRange<Int64> {
                    try authoring.write(.set(key: "dailyGoal", value: goal))
                }
            }.events
            replicas.append(try #require(events.first).id.replica)
            _ = try store.takeFreshReplica()
        }
        for replica in replicas { try store.acknowledge(replica, through: 3) }
        var progress = SyncProgress(store)
        try progress.opened()
        try store.acknowledge(replicas[2], through: 5)
        let heads = [replicas[0]: 5, replicas[1]: 2, replicas[2]: 1] as [ReplicaID: UInt64]
        let vector = VersionVector(heads.mapValues { Head(seq: $0, chain: .empty) })
        try progress.correctAcknowledged(by: vector)
        #expect(try replicas.map { try store.replica($0)?.acknowledged } == [3, 2, 5])
    }

    @Test("a full group is told of although the server sends more unreadable data than there is room for")
    func fullGroup() throws {
        let home = TemporaryHome()
        let store = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine).store
        var progress = SyncProgress(store)
        let flood = (1...2 as ClosedRange<UInt64>).map { ReplicaID(rawValue: $0) }
        expect(progress.recordExcess(of: flood[0]), is: true)
        expect(progress.recordExcess(of: flood[1]), is: false)
        for replica in flood { expect(try progress.stopped(.groupFull, of: replica), is: false) }
        #expect(try store.value(.stop) == nil)
        expect(try progress.stopped(.groupFull, of: ReplicaID(rawValue: 3)), is: true)
        #expect(try store.value(.stop) == [RefusalCode.groupFull.rawValue])
    }
}
