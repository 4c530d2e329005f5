import FocusCore
import FocusServerStore
import FocusSync
import FocusText
import FocusWriter

/// What is taken of uploads, and what they are answered, as docs/protocol.md has it ("Merging", "Time") and
/// docs/operations.md ("Limits").
///
/// It goes through the uploads of one batch in their order. Where a code may have another reason that doesn't show here,
/// it asks nothing.
struct MergingCheck {
    typealias Upload = (request: MemberRequest, segment: Segment, head: Head, stop: Ack.Stop?)

    private let limits: ServerLimits
    /// The server's time as the batch began, in milliseconds since the Unix epoch; nil where its clock may be wrong.
    private let now: SharedInstant?

    /// An event may lie so far ahead; and by so much clocks may be read apart.
    private static let (ahead, slack) = (Duration.seconds(120), Duration.seconds(2))
    /// The lengths that a sealed body has, in bytes (docs/protocol.md, "Sealing").
    private static func isBody(_ length: Int) -> Bool { (80...4_048).contains(length) && length % 64 == 16 }
    /// So much may be counted for a moment of what isn't stored as it came, in bytes.
    private static let loose = 8_192

    init(_ limits: ServerLimits, at now: SharedInstant?) {
        self.limits = limits
        self.now = now
    }

    /// An upload was answered.
    ///
    /// - Parameters:
    ///   - account: what the group has; what is taken is added to it, but for what its rows take.
    ///   - before: what it had before the batch.
    ///   - grown: what the rows that came in the batch take, in bytes.
    ///   - after: the epochs that it has after the batch.
    /// - Returns: what shouldn't be; nil where all should.
    func note(
        _ upload: Upload, in account: inout GroupAccount, from before: GroupAccount, grown: Int,
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

    // MARK: - What is taken

    private func taken(
        _ upload: Upload, after had: Head, _ account: GroupAccount, _ latest: inout Stamp,
        _ before: GroupAccount, epochs after: Set<EpochID>
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
        // What is written at once is taken whole.
        let bytes = account.quota.bytes ?? limits.bytesPerGroup
        if before.bytes >= bytes { return "\(name) beside \(before.bytes) bytes, of \(bytes)" }
        if had.seq == 0, !account.hasPlace(forReplicaOf: request.device, limits) {
            return "\(name), which is new beside \(account.heads.count), by \(request.device)"
        }
        return look(at: upload, after: had, account, &latest, epochs: after)
    }

    /// Looks at each event that is taken.
    private func look(
        at upload: Upload, after had: Head, _ account: GroupAccount, _ latest: inout Stamp,
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
            // Where the log is ahead of the clock, a millisecond beyond it.
            let clock = (now ?? .distantFuture) + MergingCheck.ahead + MergingCheck.slack
            if event.stamp.time > max(clock, account.latest.time + .milliseconds(1)) {
                return
                    "\(event.id), stamped \(event.stamp), over \(InstantText.text(clock)) and \(account.latest)"
            }
        }
        latest = max(latest, last)
        return nil
    }

    // MARK: - Why no more was

    private func stopped(
        _ upload: Upload, at had: Head, _ account: GroupAccount, _ before: GroupAccount, _ grown: Int,
        epochs after: Set<EpochID>
    ) -> String? {
        let (segment, head, code) = (upload.segment, upload.head, upload.stop?.code)
        let name = "\(segment.replica) \(segment.firstSeq)...\(segment.lastSeq) at \(had.seq)"
        // What a device may not write now, nothing is done with.
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

    /// Whether the group may have no more epochs, with so many bytes more.
    private func mayBeFull(ofEpochs account: GroupAccount, _ grown: Int) -> Bool {
        account.epochs.count >= limits.epochsPerGroup || account.bodies >= limits.epochBytesPerGroup
            || account.bytes + grown >= account.quota.bytes ?? limits.bytesPerGroup
    }
}
