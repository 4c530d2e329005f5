import FocusCore
import FocusSeal
import FocusStore
import FocusSync

/// Checks that a laptop lists no readmitted device to the server, and names none as revoked in a new epoch.
/// It considers the devices that were readmitted before the laptop began to speak on the connection.
///
/// It checks nothing if the connection begins with a request to be let in, because the laptop then starts
/// another log.
struct ReadmissionConformance {
    private var readmittedBefore: Set<Digest>?

    /// Checks a message that the laptop sends.
    ///
    /// - Returns: The breach, or nil if there is none.
    mutating func checkSent(_ message: Message, from store: DeviceStore) throws -> String? {
        func readmitted() throws -> Set<Digest> {
            Set(try store.state().rulings.filter { !$0.value.isRevoked }.keys)
        }
        switch message {
        case .hello(let hello): readmittedBefore = hello.purpose == .sync ? try readmitted() : nil
        case .request(_, .roster(let roster)):
            let wrong = roster.map(\.device).filter { readmittedBefore?.contains($0) ?? false }
            guard !wrong.isEmpty else { return nil }
            // If one record revokes a device and another one includes it, the records say that the device was
            // accepted elsewhere.
            let bodies = try store.epochRecords().compactMap { try? EpochBody($0.body) }
            let (revoked, included) = (Set(bodies.flatMap(\.revoked)), Set(bodies.flatMap(\.devices)))
            return wrong.first { !revoked.contains($0) || !included.contains($0) }
                .map { "\($0) is listed, who was taken back" }
        case .request(_, .successor(let record, _)):
            guard let readmittedBefore, let body = try? EpochBody(record.body) else { return nil }
            let named = Set(body.revoked).intersection(readmittedBefore).intersection(try readmitted())
            guard !named.isEmpty else { return nil }
            // One epoch may name the device, because a readmission may come before any epoch excluded it. If
            // a predecessor of the new epoch names it too, that is a breach.
            let records = try store.epochRecords()
            var next = record.predecessor
            while let id = next, let record = records.first(where: { $0.epoch == id }) {
                if let again = try? EpochBody(record.body).revoked.first(where: named.contains) {
                    return "\(again) is shut out by \(record.epoch), was taken back, and is shut out again"
                }
                next = record.predecessor
            }
        default: break
        }
        return nil
    }
}
