package import FocusCore
import FocusServerStore
package import FocusSync
package import FocusWriter
import TestSupport

// What members ask for, as tests write it down.
extension WriterRequest {
    package static func merge(
        _ segment: Segment, _ group: GroupID, by device: Digest, from connection: ConnectionID
    ) -> WriterRequest {
        .member(MemberRequest(.merge(segment), by: device, in: group, from: connection))
    }

    package static func ask(
        _ request: GroupRequest, _ group: GroupID, by device: Digest = ServerFixture.member,
        from connection: ConnectionID
    ) -> WriterRequest {
        .member(MemberRequest(.group(request), by: device, in: group, from: connection))
    }
}

extension LogWriter {
    /// Puts those who ask for something into their groups, where no group has them yet: most tests are about what
    /// members do.
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

    /// Is handed what members, and others, ask for.
    package func hand(in requests: [WriterRequest]) throws {
        try admit(requests)
        add(requests)
    }

    /// Does all of this, in as many batches as it takes, and says what came of each.
    package func batches(_ requests: [WriterRequest]) -> [[WriterOutcome]] {
        add(requests)
        var batches: [[WriterOutcome]] = []
        repeat { batches.append(turn()) } while !isIdle
        return batches
    }

    /// Does all of this, in as many batches as it takes, and says what came of it; of each batch's tally, the last one.
    package func work(_ requests: [WriterRequest]) throws -> [WriterOutcome] {
        try admit(requests)
        let batches = batches(requests)
        return batches.dropLast().joined().filter { !$0.isTally } + (batches.last ?? [])
    }
}
