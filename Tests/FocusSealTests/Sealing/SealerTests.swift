import FocusCore
import FocusSeal
import TestSupport
import Testing

@Suite struct SealerTests {
    @Test("an event comes out of its seal as it went in") func roundTrip() throws {
        let sealer = try Vectors.sealer()
        let sealed = try sealer.seal(Vectors.start, epoch: Vectors.key().epoch)
        #expect(try sealer.open(sealed) == Vectors.start)
    }

    @Test(
        "encodings of every length up to the limit are padded to 64 bytes and come back whole, and none is longer"
    )
    func lengths() throws {
        let sealer = try Vectors.sealer()
        let epoch = try Vectors.key().epoch
        var generator = SeededGenerator(seed: 1)
        for length in Array(0...130) + [SealedEvent.plainLimit - 1, SealedEvent.plainLimit] {
            let plain = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let sealed = try sealer.seal(
                plain, id: Vectors.start.id, stamp: Vectors.start.stamp, epoch: epoch)
            #expect(sealed.body.count == 16 + (length / 64 + 1) * 64)
            #expect(SealedEvent.isBodyLength(sealed.body.count))
            #expect(try sealer.plaintext(of: sealed) == plain)
        }
        let long = [UInt8](repeating: 1, count: SealedEvent.plainLimit + 1)
        let (id, stamp) = (Vectors.start.id, Vectors.start.stamp)
        #expect(code(try sealer.seal(long, id: id, stamp: stamp, epoch: epoch)) == .bodyTooLong)
    }

    @Test("a change to any byte of the body or to any part of the header is found") func tampering() throws {
        let sealer = try Vectors.sealer()
        let good = try sealer.seal(Vectors.start, epoch: Vectors.key().epoch)
        var altered: [SealedEvent] = good.body.indices.map { index in
            var body = good.body
            body[index] ^= 1
            return SealedEvent(id: good.id, stamp: good.stamp, epoch: good.epoch, body: body)
        }
        let ids = [
            EventID(replica: ReplicaID(rawValue: 1), seq: 1), EventID(replica: Vectors.replica, seq: 2),
        ]
        altered += ids.map { SealedEvent(id: $0, stamp: good.stamp, epoch: good.epoch, body: good.body) }
        altered.append(
            SealedEvent(
                id: good.id, stamp: Stamp(rawValue: good.stamp.rawValue + 1), epoch: good.epoch,
                body: good.body))
        altered += [0, 1, 16, 17].map {
            SealedEvent(
                id: good.id, stamp: good.stamp, epoch: good.epoch, body: Array(good.body.prefix($0)))
        }
        for event in altered {
            #expect(code(try sealer.open(event)) == .notAuthentic)
        }
    }

    @Test("an event of another group does not open under the same key") func otherGroup() throws {
        let good = try Vectors.sealer().seal(Vectors.start, epoch: Vectors.key().epoch)
        let other = try Sealer(group: GroupID(high: 1, low: 2), keys: [Vectors.key()])
        #expect(code(try other.open(good)) == .notAuthentic)
    }

    @Test("an event of an epoch that isn't here opens once its key is added") func laterEpoch() throws {
        let key = try EpochKey(SecretBytes([UInt8](repeating: 7, count: 32)))
        let event = try Sealer(group: Vectors.group, keys: [key]).seal(Vectors.start, epoch: key.epoch)
        var sealer = try Vectors.sealer()
        #expect(code(try sealer.open(event)) == .unknownEpoch)
        #expect(!sealer.hasKey(key.epoch))
        try sealer.add(key)
        #expect(sealer.hasKey(key.epoch))
        #expect(try sealer.open(event) == Vectors.start)
    }

    @Test("many tasks may use one sealer at once") func shared() async throws {
        let sealer = try Vectors.sealer()
        let epoch = try Vectors.key().epoch
        let expected = try sealer.seal(Vectors.start, epoch: epoch)
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<200 {
                        guard try sealer.seal(Vectors.start, epoch: epoch) == expected,
                            try sealer.open(expected) == Vectors.start
                        else { return false }
                    }
                    return true
                }
            }
            for try await same in tasks { #expect(same) }
        }
    }
}
