import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import FocusText

/// Checks the uploads that a server accepts, and its answers, by the rules of docs/protocol.md ("Merging",
/// "Time").
///
/// It checks the uploads of one batch in order, after the batch's epochs have been added to the groups'
/// contents. It doesn't check refusals with reasons that may be invisible here.
struct MergingCheck {
    /// An upload and its answer: the acknowledged head, and the reason to stop there, if there is one.
    typealias Upload = (request: MemberRequest, segment: Segment, head: Head, stop: Ack.Stop?)

    /// The server's time when the batch began; nil if its clock may be wrong.
    private let now: SharedInstant?

    /// The greatest time by which an event's stamp may be ahead of the server's time, and the tolerance
    /// between readings of clocks.
    private static let (greatestLead, tolerance) = (Duration.seconds(120), Duration.seconds(2))
    /// Whether a sealed body may have this length, in bytes (docs/protocol.md, "Sealing").
    private static func isBody(_ length: Int) -> Bool { (80...4_048).contains(length) && length % 64 == 16 }

    init(at now: SharedInstant?) { self.now = now }

    /// Checks an upload and its answer.
    ///
    /// - Parameters:
    ///   - contents: The contents of the group. The accepted events are added to them.
    ///   - before: The group's contents before the batch.
    /// - Returns: The breach, or nil if there is none.
    func check(
        _ upload: Upload, in contents: inout GroupContents, from before: GroupContents
    ) -> String? {
        let (segment, head) = (upload.segment, upload.head)
        let old = contents.heads[segment.replica] ?? .empty
        guard head.seq > old.seq else {
            guard head == old else { return "\(segment.replica) went from \(old) to \(head)" }
            return checkAnswer(upload, at: old, before)
        }
        var latest = contents.latest
        if let trouble = checkAccepted(upload, after: old, contents, &latest) { return trouble }
        contents.addEvents(Int(clamping: head.seq - old.seq), of: segment.replica, to: head, upTo: latest)
        return checkAnswer(upload, at: old, before)
    }

    // MARK: - Accepted events

    private func checkAccepted(
        _ upload: Upload, after old: Head, _ contents: GroupContents, _ latest: inout Stamp
    ) -> String? {
        let (segment, head) = (upload.segment, upload.head)
        let count = Int(clamping: head.seq - old.seq)
        let name = "\(count) events of \(segment.replica)"
        guard segment.firstSeq <= old.seq + 1, head.seq <= segment.lastSeq else {
            return "\(name) that aren't in it"
        }
        if segment.firstSeq == old.seq + 1, segment.chainBefore != old.chain { return "\(name), which parts" }
        return checkEvents(of: upload, after: old, contents, &latest)
    }

    /// Checks each accepted event.
    private func checkEvents(
        of upload: Upload, after old: Head, _ contents: GroupContents, _ latest: inout Stamp
    ) -> String? {
        var last = Stamp.zero
        for event in upload.segment.events {
            guard event.id.seq <= upload.head.seq else { break }
            guard event.id.seq > old.seq else { continue }
            if event.stamp <= last { return "\(event.id), whose stamp doesn't rise" }
            if !MergingCheck.isBody(event.body.count) {
                return "\(event.id), whose body has \(event.body.count) bytes"
            }
            last = event.stamp
            if contents.epochs[event.epoch] == nil { return "\(event.id), whose epoch isn't here" }
            // If the log is ahead of the clock, the limit is a millisecond after the log's latest stamp.
            let clock = (now ?? .distantFuture) + MergingCheck.greatestLead + MergingCheck.tolerance
            if event.stamp.time > max(clock, contents.latest.time + .milliseconds(1)) {
                return
                    "\(event.id), stamped \(event.stamp), over \(InstantText.text(clock)) and \(contents.latest)"
            }
        }
        latest = max(latest, last)
        return nil
    }

    // MARK: - Refused events

    private func checkAnswer(_ upload: Upload, at old: Head, _ before: GroupContents) -> String? {
        let (segment, head, code) = (upload.segment, upload.head, upload.stop?.code)
        let name = "\(segment.replica) \(segment.firstSeq)...\(segment.lastSeq) at \(old.seq)"
        // An upload that is refused for its rate isn't looked at.
        if code == .rate { return nil }
        let isGap = segment.firstSeq > old.seq + 1
        if isGap != (code == .gap) { return "\(name) is answered \(code.map { "\($0)" } ?? "well")" }
        if segment.firstSeq == old.seq + 1, (segment.chainBefore != old.chain) != (code == .parted) {
            return
                "\(name) follows \(segment.chainBefore), not \(old.chain), and is answered \(code.map { "\($0)" } ?? "well")"
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
            return before.epochs[next.epoch] == nil
                ? nil : "\(name) is of \(next.epoch), which is here"
        case .groupFull: return before.mayBeFull ? nil : "\(name) is refused, though the group isn't full"
        case .clockAhead:
            guard let now, next.stamp.time < now + MergingCheck.greatestLead - MergingCheck.tolerance else {
                return nil
            }
            return "\(name) isn't ahead, as it is called"
        default: return nil
        }
    }
}
