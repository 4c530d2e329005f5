package import FocusCore
package import FocusServerCore
import FocusServerStore
package import FocusSync
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

    /// Handles all requests, in as many batches as needed, and returns each batch's outcome.
    package func batches(_ requests: [WriterRequest]) -> [CommitOutcome] {
        add(requests)
        var batches: [CommitOutcome] = []
        repeat { batches.append(commitBatch()) } while !isIdle
        return batches
    }

    /// Uploads a segment of the fixture's member, and returns each batch's outcome.
    package func upload(_ segment: Segment) -> [CommitOutcome] {
        batches([.merge(segment, ServerFixture.group, by: ServerFixture.member, from: 1)])
    }

    /// Admits the requesters, and handles all requests.
    package func work(_ requests: [WriterRequest]) throws -> [CommitOutcome] {
        try admit(requests)
        return batches(requests)
    }
}
