import FocusCore
import FocusServerStore
import FocusSync
import FocusText
import FocusWriter

/// Checks the uploads that a server accepts, and its answers, by the rules of docs/protocol.md ("Merging",
/// "Time") and docs/operations.md ("Limits").
///
/// It looks at the uploads of one batch in order. It doesn't check refusals with reasons that may be
/// invisible here.
struct MergingCheck {
    typealias Upload = (request: MemberRequest, segment: Segment, head: Head, stop: Ack.Stop?)

    private let limits: ServerLimits
    /// The server's time when the batch began; nil if its clock may be wrong.
    private let now: SharedInstant?

    /// The greatest time by which an event's stamp may be ahead of the server's time, and the tolerance
    /// between readings of clocks.
    private static let (ahead, slack) = (Duration.seconds(120), Duration.seconds(2))
    /// Whether a sealed body may have this length, in bytes (docs/protocol.md, "Sealing").
    private static func isBody(_ length: Int) -> Bool { (80...4_048).contains(length) && length % 64 == 16 }
    /// A tolerance in bytes. The server may briefly count more bytes for segments that it stores in another
    /// form than they arrived in.
    private static let loose = 8_192

    init(_ limits: ServerLimits, at now: SharedInstant?) {
        self.limits = limits
        self.now = now
    }

    /// Checks an upload and its answer.
    ///
    /// - Parameters:
    ///   - account: The contents of the group. The accepted events are added to them, except the size of
    ///     their rows.
    ///   - before: The group's contents before the batch.
    ///   - grown: The bytes of the rows that arrived in the batch.
    ///   - after: The group's epochs after the batch.
    /// - Returns: The breach, or nil if there is none.
    func note(
        _ upload: Upload, in account: inout GroupContents, from before: GroupContents, grown: Int,
        epochs after: Set<EpochID>
    ) -> String? {
        let (request, segment, head) = (upload.request, upload.segment, upload.head)
        let had = account.heads[segment.replica] ?? .empty
        guard head.seq > had.seq else {
            guard head == had else { return "\(segment.replica) went from \(had) to \(head)" }
            return stopped(upload, at: had, account, before, grown, epochs: after)
        }
        var latest = account.latest
        if let trouble = taken(upload, after: had, account, &latest, before, epochs: after) { return trouble }
        account.take(
            Int(clamping: head.seq - had.seq), of: segment.replica, to: head, upTo: latest,
            by: request.device, limits)
        return stopped(upload, at: had, account, before, grown, epochs: after)
    }

    // MARK: - Accepted events

    private func taken(
        _ upload: Upload, after had: Head, _ account: GroupContents, _ latest: inout Stamp,
        _ before: GroupContents, epochs after: Set<EpochID>
    ) -> String? {
        let (request, segment, head) = (upload.request, upload.segment, upload.head)
        let count = Int(clamping: head.seq - had.seq)
        let name = "\(count) events of \(segment.replica)"
        guard segment.firstSeq <= had.seq + 1, head.seq <= segment.lastSeq else {
            return "\(name) that aren't in it"
        }
        if segment.firstSeq == had.seq + 1, segment.chainBefore != had.chain { return "\(name), which parts" }
        let most = account.quota.events ?? limits.eventsPerGroup
        if account.events + count > most { return "\(name) beside \(account.events), of \(most)" }
        // The server checks the size before a batch only, because a batch's events are accepted together.
        let bytes = account.quota.bytes ?? limits.bytesPerGroup
        if before.bytes >= bytes { return "\(name) beside \(before.bytes) bytes, of \(bytes)" }
        if had.seq == 0, !account.hasPlace(forReplicaOf: request.device, limits) {
            return "\(name), which is new beside \(account.heads.count), by \(request.device)"
        }
        return look(at: upload, after: had, account, &latest, epochs: after)
    }

    /// Checks each accepted event.
    private func look(
        at upload: Upload, after had: Head, _ account: GroupContents, _ latest: inout Stamp,
        epochs after: Set<EpochID>
    ) -> String? {
        var last = Stamp.zero
        for event in upload.segment.events {
            guard event.id.seq <= upload.head.seq else { break }
            guard event.id.seq > had.seq else { continue }
            if event.stamp <= last { return "\(event.id), whose stamp doesn't rise" }
            if !MergingCheck.isBody(event.body.count) {
                return "\(event.id), whose body has \(event.body.count) bytes"
            }
            last = event.stamp
            if !after.contains(event.epoch) { return "\(event.id), whose epoch isn't here" }
            // If the log is ahead of the clock, the limit is a millisecond after the log's latest stamp.
            let clock = (now ?? .distantFuture) + MergingCheck.ahead + MergingCheck.slack
            if event.stamp.time > max(clock, account.latest.time + .milliseconds(1)) {
                return
                    "\(event.id), stamped \(event.stamp), over \(InstantText.text(clock)) and \(account.latest)"
            }
        }
        latest = max(latest, last)
        return nil
    }

    // MARK: - Refused events

    private func stopped(
        _ upload: Upload, at had: Head, _ account: GroupContents, _ before: GroupContents, _ grown: Int,
        epochs after: Set<EpochID>
    ) -> String? {
        let (segment, head, code) = (upload.segment, upload.head, upload.stop?.code)
        let name = "\(segment.replica) \(segment.firstSeq)...\(segment.lastSeq) at \(had.seq)"
        // An upload that is refused for its rate isn't looked at.
        if code == .rate { return nil }
        let isGap = segment.firstSeq > had.seq + 1
        if isGap != (code == .gap) { return "\(name) is answered \(code.map { "\($0)" } ?? "well")" }
        if segment.firstSeq == had.seq + 1, (segment.chainBefore != had.chain) != (code == .parted) {
            return
                "\(name) follows \(segment.chainBefore), not \(had.chain), and is answered \(code.map { "\($0)" } ?? "well")"
        }
        guard let code else {
            return head.seq >= segment.lastSeq ? nil : "\(name) is answered well, and isn't taken"
        }
        var events = segment.events
        var next = events.next()
        while let event = next, event.id.seq <= head.seq { next = events.next() }
        guard let next else { return nil }
        switch code {
        case .unknownEpoch:
            if before.epochs[next.epoch] != nil { return "\(name) is of \(next.epoch), which is here" }
            return mayBeFull(ofEpochs: before, 0)
                ? "\(name) waits for \(next.epoch), which there is no room for" : nil
        case .groupFull:
            let mayLack =
                before.epochs[next.epoch] == nil && mayBeFull(ofEpochs: account, grown + MergingCheck.loose)
            let isRoomy =
                account.events < account.quota.events ?? limits.eventsPerGroup
                && account.bytes + grown + MergingCheck.loose < account.quota.bytes ?? limits.bytesPerGroup
                && (head.seq > 0 || account.hasPlace(forReplicaOf: upload.request.device, limits))
            return isRoomy && !mayLack ? "\(name) is refused, though the group isn't full" : nil
        case .clockAhead:
            guard let now, next.stamp.time < now + MergingCheck.ahead - MergingCheck.slack else {
                return nil
            }
            return "\(name) isn't ahead, as it is called"
        default: return nil
        }
    }

    /// Whether the group may have no room for another epoch if its rows have grown by `grown` bytes in the
    /// batch.
    private func mayBeFull(ofEpochs account: GroupContents, _ grown: Int) -> Bool {
        account.epochs.count >= limits.epochsPerGroup || account.bodies >= limits.epochBytesPerGroup
            || account.bytes + grown >= account.quota.bytes ?? limits.bytesPerGroup
    }
}
