import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerFiles
@testable import FocusServerStore
@testable import FocusWriter

@Suite struct BatchTallyTests {
    private func tally(_ outcomes: [WriterOutcome]) throws -> BatchTally {
        guard case .batch(let tally) = try #require(outcomes.last) else {
            throw Mismatch(outcomes: outcomes)
        }
        return tally
    }

    private struct Mismatch: Error { let outcomes: [WriterOutcome] }

    private func writer(_ fixture: ServerFixture) throws -> LogWriter {
        try LogWriter(on: SQLiteServerStore(at: fixture.folder.data.store, access: .readWrite))
    }

    @Test("a batch reports the numbers of new events and of known ones") func counts() throws {
        let fixture = try ServerFixture()
        let writer = try writer(fixture)
        var author = Author(1)
        let first = try author.write(3)
        let second = try author.write(2)
        let device = try digest(1)
        let request = { (segment: Segment) in
            WriterRequest.merge(segment, ServerFixture.group, by: device, from: 1)
        }
        let new = try tally(try writer.work([request(first), request(second)]))
        #expect(new == BatchTally(requests: 2, events: 5, duplicates: 0))
        let again = try tally(try writer.work([request(first), .barrier]))
        #expect(again == BatchTally(requests: 1, events: 0, duplicates: 3))
    }

    @Test("a batch that can't be stored has no events, and says so") func failing() throws {
        let fixture = try ServerFixture()
        let writer = try writer(fixture)
        try fixture.store.database.execute("DROP TABLE recent")
        var author = Author(1)
        let outcomes = try writer.work([
            .merge(try author.write(3), ServerFixture.group, by: try digest(1), from: 1)
        ])
        #expect(try tally(outcomes) == BatchTally(requests: 1, problem: .unwritable))
    }
}
