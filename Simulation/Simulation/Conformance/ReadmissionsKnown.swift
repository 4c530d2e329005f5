import FocusCore
import FocusSeal
import FocusStore
import FocusSync

/// What a laptop says of those whom it knew to have been taken back as it began to speak on a connection; nothing where it
/// asks to be let in, as its log then ends and another begins.
struct ReadmissionsKnown {
    private var known: Set<Digest>?

    /// Looks at what it says now.
    ///
    /// - Returns: What it shouldn't; nil where all is right.
    mutating func sends(_ message: Message, from store: DeviceStore) throws -> String? {
        func readmitted() throws -> Set<Digest> {
            Set(try store.state().rulings.filter { !$0.value.isRevoked }.keys)
        }
        switch message {
        case .hello(let hello): known = hello.purpose == .sync ? try readmitted() : nil
        case .roster(let roster):
            let wrong = roster.map(\.device).filter { known?.contains($0) ?? false }
            guard !wrong.isEmpty else { return nil }
            // Whom a record shuts out and another is made for was accepted elsewhere, as far as records say.
            let bodies = try store.epochRecords().compactMap { try? EpochBody($0.body) }
            let (out, given) = (Set(bodies.flatMap(\.revoked)), Set(bodies.flatMap(\.devices)))
            return wrong.first { !out.contains($0) || !given.contains($0) }
                .map { "\($0) is listed, who was taken back" }
        case .successor(let record, _):
            guard let known, let body = try? EpochBody(record.body) else { return nil }
            let named = Set(body.revoked).intersection(known).intersection(try readmitted())
            guard !named.isEmpty else { return nil }
            // Who was taken back before any key was made without it is named once.
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
