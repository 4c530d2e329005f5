import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync

/// Who was taken back, once all know of it, is shut out by no later key's record.
struct ReadmissionCheck {
    /// What the log said of each key that was taken back when the group last agreed.
    private var readmitted: [Digest: Ruling] = [:]
    /// The epochs that were there then.
    private var seen: Set<EpochID> = []

    /// Looks at a group that agrees.
    ///
    /// - Parameters:
    ///   - ring: what one of its laptops makes of the records.
    ///   - others: epochs that were made by one who means harm.
    /// - Returns: What shouldn't be; nil where all should.
    mutating func look(at store: DeviceStore, _ ring: KeyRing, but others: Set<EpochID>) throws -> String? {
        let rulings = try store.state().rulings
        let records = try store.epochRecords()
        var trouble: String?
        for record in records where !seen.contains(record.epoch) && !others.contains(record.epoch) {
            guard !ring.bad.contains(record.epoch), let body = try? EpochBody(record.body) else { continue }
            // Who was shut out again meanwhile may be named.
            let wrong = body.revoked.first { readmitted[$0] != nil && readmitted[$0] == rulings[$0] }
            if let wrong { trouble = "\(record.epoch) names \(wrong)" }
        }
        readmitted = rulings.filter { !$0.value.isRevoked }
        seen.formUnion(records.map(\.epoch))
        return trouble
    }
}

extension World {
    /// Who was taken back isn't shut out by a later key.
    func checkReadmissions(of group: Int, _ members: [Laptop]) throws {
        guard let first = members.first, let store = first.hand?.store,
            let ring = try ring(of: first, records: try store.epochRecords())
        else { return }
        let trouble = try readmissions[group, default: ReadmissionCheck()]
            .look(at: store, ring, but: traitor?.made ?? [])
        require(trouble == nil, "who was taken back is shut out by no later key") { trouble ?? "" }
    }
}
