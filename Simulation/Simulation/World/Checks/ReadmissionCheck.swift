import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync

/// A check of new epochs' records: they must not name a key as revoked if all laptops knew before that the key
/// was readmitted.
struct ReadmissionCheck {
    /// The rulings on readmitted keys when the group last agreed.
    private var readmitted: [Digest: Ruling] = [:]
    /// The epochs that existed when the group last agreed.
    private var seen: Set<EpochID> = []

    /// Checks the epochs since the last call. All laptops of the group agree now.
    ///
    /// - Parameters:
    ///   - store: The store of one of these laptops.
    ///   - ring: The key ring that this laptop makes of the records.
    ///   - others: The epochs that an attacker made. They aren't checked.
    /// - Returns: A description of the violation, or nil if there is none.
    mutating func check(_ store: DeviceStore, _ ring: KeyRing, but others: Set<EpochID>) throws -> String? {
        let rulings = try store.state().rulings
        let records = try store.epochRecords()
        var trouble: String?
        for record in records where !seen.contains(record.epoch) && !others.contains(record.epoch) {
            guard !ring.bad.contains(record.epoch), let body = try? EpochBody(record.body) else { continue }
            // A key may be named if it was revoked again since.
            let wrong = body.revoked.first { readmitted[$0] != nil && readmitted[$0] == rulings[$0] }
            if let wrong { trouble = "\(record.epoch) names \(wrong)" }
        }
        readmitted = rulings.filter { !$0.value.isRevoked }
        seen.formUnion(records.map(\.epoch))
        return trouble
    }
}

extension World {
    /// Checks that no later epoch's record names a readmitted key as revoked.
    func checkReadmissions(of group: Int, _ members: [Laptop]) throws {
        guard let first = members.first, let store = first.device?.store,
            let ring = try ring(of: first, records: try store.epochRecords())
        else { return }
        let trouble = try readmissions[group, default: ReadmissionCheck()]
            .check(store, ring, but: traitor?.madeEpochs ?? [])
        require(trouble == nil, "no later epoch revokes a readmitted key") { trouble ?? "" }
    }
}
