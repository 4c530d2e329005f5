package import FocusCore
import FocusServerStore
package import FocusSync
package import FocusWriter
import TestSupport

// Requests of members in a short form.
extension WriterRequest {
    package static func merge(
        _ segment: Segment, _ group: GroupID, by device: Digest, from connection: ConnectionID
    ) -> WriterRequest {
        .member(MemberRequest(.merge(segment), by: device, in: group, from: connection))
    }

    package static func ask(
        _ request: GroupRequest, _ group: GroupID, by device: Digest = ServerFixture.member,
        from connection: ConnectionID, number: UInt64 = 1
    ) -> WriterRequest {
        .member(
            MemberRequest(
                .group(RequestNumber(number), request), by: device, in: group, from: connection))
    }
}

extension LogWriter {
    /// Adds unknown requesters to their groups, because most tests are about the requests of members.
    package func admit(_ requests: [WriterRequest]) throws {
        for case .member(let request) in requests {
            guard let number = groups[request.group]?.number,
                try store.read({ try $0.device(request.device) }) == nil
            else {
                continue
            }
            try store.write { try $0.putDevice(request.device, inGroup: number, now: 0) }
        }
    }

    /// Admits the requesters and adds the requests to the queue.
    package func enqueue(_ requests: [WriterRequest]) throws {
        try admit(requests)
        add(requests)
    }

    /// Handles all requests, in as many batches as needed, and returns each batch's outcomes.
    package func batches(_ requests: [WriterRequest]) -> [[WriterOutcome]] {
        add(requests)
        var batches: [[WriterOutcome]] = []
        repeat { batches.append(commitBatch()) } while !isIdle
        return batches
    }

    /// Handles all requests, in as many batches as needed, and returns all outcomes.
    package func outcomes(_ requests: [WriterRequest]) -> [WriterOutcome] {
        batches(requests).flatMap(\.self)
    }

    /// Uploads a segment of the fixture's member, and returns all outcomes.
    package func upload(_ segment: Segment) -> [WriterOutcome] {
        outcomes([.merge(segment, ServerFixture.group, by: ServerFixture.member, from: 1)])
    }

    /// Handles all requests, in as many batches as needed, and returns the outcomes. Of the tallies, it keeps
    /// only the last batch's.
    package func work(_ requests: [WriterRequest]) throws -> [WriterOutcome] {
        try admit(requests)
        let batches = batches(requests)
        return batches.dropLast().joined().filter { $0.tally == nil } + (batches.last ?? [])
    }
}
