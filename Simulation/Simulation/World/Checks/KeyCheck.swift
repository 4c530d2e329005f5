import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
package import TestSupport

// The laptops' access to the group's keys.
extension World {
    /// Returns the reason why the group's members don't yet share one key that was made without the revoked
    /// laptops, or nil if they do.
    func keyTrouble(of members: [Laptop]) throws -> String? {
        var newest: Set<EpochID?> = []
        for laptop in members {
            guard let store = laptop.device?.store else { continue }
            guard try !hasUnreadable(store) else { return "\(laptop.name) can't read all" }
            newest.insert(try store.epochs().last?.id)
        }
        guard newest.count <= 1 else { return "the newest epochs differ: \(newest)" }
        // All members decide the same about the next epoch, so one of them is asked. But a traitor may have
        // given a key to one laptop only. Then that laptop plans an epoch, and passes the key on in its
        // record.
        let deciding = traitor == nil ? Array(members.prefix(1)) : members
        for laptop in deciding {
            guard let store = laptop.device?.store, let log = try SealedLog(store),
                let ring = try ring(of: laptop, records: try store.epochRecords())
            else { continue }
            guard try log.plan(ring, by: laptop.key) == nil else { return "the group's key is to be changed" }
        }
        return nil
    }

    /// Checks that no revoked laptop gets the present key, or a key that was in use at a calm since its
    /// revocation. The revoked laptop may use all records that the members have.
    func checkKeys(of group: Int, _ members: [Laptop]) throws {
        guard let store = members.first?.device?.store, let newest = try store.epochs().last?.id else {
            return
        }
        // A traitor can give its own keys to anybody, in a record or otherwise.
        let records = try store.epochRecords().filter { traitor?.madeEpochs.contains($0.epoch) != true }
        for laptop in laptops where laptop.group == group && laptop.wasRevoked {
            guard try members.contains(where: { try $0.knowsRevoked(laptop.key) }) else { continue }
            forbidden[laptop.key, default: []].insert(newest)
            guard let ring = try ring(of: laptop, records: records) else { continue }
            counts.shutOut += 1
            let opened = Set(ring.keys.keys).intersection(forbidden[laptop.key] ?? [])
            require(opened.isEmpty, "who was shut out can't read what is pressed afterwards") {
                "\(laptop.name) has the keys of \(opened)"
            }
        }
    }

    /// Checks that a latecomer that nobody accepts gets no newer key.
    func checkUnknownLaptops(of group: Int, _ members: [Laptop]) throws {
        guard let first = members.first, let store = first.device?.store else { return }
        guard let newest = try store.epochs().last?.id else { return }
        for laptop in laptops
        where laptop.group == group && laptop.isUnknownToGroup && first.hasWaiting(laptop.key) {
            counts.latecomers += 1
            let ring = try ring(of: laptop, records: try store.epochRecords())
            require(ring?.keys[newest] == nil, "who isn't accepted can't read what is pressed") {
                laptop.name
            }
        }
    }

    /// Returns the key ring that the laptop makes of these records with its keys.
    func ring(of laptop: Laptop, records: [EpochRecord]) throws -> KeyRing? {
        guard let store = laptop.device?.store, let group = try store.group() else { return nil }
        return try KeyRing(
            group, known: try store.epochs().map { try EpochKey(SecretBytes($0.key)) }, records: records,
            device: laptop.identity)
    }
}

extension SeededGenerator {
    /// Returns `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &self) }
    }

    /// Returns a random digest.
    mutating func digest() -> Digest {
        Digest(bytes: bytes(Digest.length)) ?? Digest(InlineArray(repeating: 1))
    }
}
