import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
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
}
