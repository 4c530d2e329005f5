import FocusCore
import FocusSeal
import Testing

@Suite struct ChainHasherTests {
    @Test("every part of an event, the group and the chain before it change its chain") func everyPart()
        throws
    {
        let event = SealedEvent(
            id: EventID(replica: ReplicaID(rawValue: 1), seq: 2), stamp: Stamp(rawValue: 3),
            epoch: EpochID(rawValue: 4), body: [5, 6])
        let variants = [
            SealedEvent(
                id: EventID(replica: ReplicaID(rawValue: 9), seq: 2), stamp: event.stamp, epoch: event.epoch,
                body: event.body),
            SealedEvent(
                id: EventID(replica: event.id.replica, seq: 9), stamp: event.stamp, epoch: event.epoch,
                body: event.body),
            SealedEvent(
                id: event.id, stamp: Stamp(rawValue: 9), epoch: event.epoch, body: event.body),
            SealedEvent(id: event.id, stamp: event.stamp, epoch: EpochID(rawValue: 9), body: event.body),
            SealedEvent(id: event.id, stamp: event.stamp, epoch: event.epoch, body: [5]),
            SealedEvent(id: event.id, stamp: event.stamp, epoch: event.epoch, body: []),
        ]
        var hasher = try ChainHasher(group: Vectors.group)
        var chains: Set = [try hasher.chain(after: .empty, event)]
        for variant in variants { chains.insert(try hasher.chain(after: .empty, variant)) }
        chains.insert(try hasher.chain(after: Chain(high: 0, low: 1), event))
        var other = try ChainHasher(group: GroupID(high: 1, low: 1))
        chains.insert(try other.chain(after: .empty, event))
        #expect(chains.count == variants.count + 3)
    }
}
