import FocusCore
import FocusStore

/// Chains that aren't real hashes, but differ if the events differ.
struct FakeChaining: ChainProvider {
    func branch(of replica: ReplicaID, chain: Chain) -> ReplicaID {
        ReplicaID(rawValue: replica.rawValue &* 31 ^ chain.high)
    }

    func chain(after chain: Chain, _ event: StoredEvent) -> Chain {
        let words = [
            event.id.replica.rawValue, event.id.seq, event.stamp.rawValue, event.epoch?.rawValue ?? 0,
        ]
        var chain = chain
        for word in words + event.body.bytes.map(UInt64.init) {
            chain = Chain(
                high: (chain.high &+ word &+ 1) &* 0x9E37_79B9_7F4A_7C15, low: chain.low &* 31 ^ chain.high)
        }
        return chain
    }

    /// Returns one replica's events from seq 1 on, with their chains.
    func chained(_ events: [StoredEvent]) -> [StoredEvent] {
        var chain = Chain.empty
        return events.map { event in
            chain = self.chain(after: chain, event)
            return StoredEvent(
                id: event.id, stamp: event.stamp, epoch: event.epoch, chain: chain, body: event.body)
        }
    }
}
