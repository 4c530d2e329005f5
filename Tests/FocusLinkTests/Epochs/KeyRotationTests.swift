import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import TestTraits
import Testing

@testable import FocusLink

@Suite("When the group's key is changed")
struct KeyRotationTests {
    private let group = GroupID(high: 1, low: 2)
    private let own = Digest(InlineArray(repeating: 7))
    private let other = Digest(InlineArray(repeating: 8))
    private let first: EpochKey
    private let second = EpochID(rawValue: 22)

    init() throws { first = try EpochKey(SecretBytes(Array(0..<32))) }

    private var newest: EpochID { first.epoch }

    private func rotation(_ pace: KeyRotation.Pace = .atOnce, by device: Digest? = nil) throws -> KeyRotation
    {
        var rotation = KeyRotation(pace, by: device ?? own)
        _ = rotation.adopted(try KeyRing(group, known: [first], records: [], device: nil))
        return rotation
    }

    private func record(_ epoch: EpochID, after predecessor: EpochID) -> EpochRecord {
        EpochRecord(epoch: epoch, predecessor: predecessor, body: [1])
    }

    /// Returns the state after replaying a log of this action only.
    private func state(after action: Action) throws -> ReplayState {
        let id = EventID(replica: ReplicaID(rawValue: 1), seq: 1)
        return try EventLog([Event(id: id, stamp: Stamp(rawValue: 1 << 16), action: action)]).replayed().0
    }

    @Test("it is looked at whether the newest epoch stands at first, and after each change, once")
    func reviews() throws {
        var rotation = try rotation()
        #expect(rotation.isOpen)
        expect(rotation.startReview(), is: true)
        #expect(!rotation.isOpen)
        expect(rotation.startReview(), is: false)
        rotation.changed()
        #expect(rotation.isOpen)
        expect(rotation.startReview(), is: true)
        rotation.replayed(try state(after: .set(key: "dailyGoal", value: 7)))
        expect(rotation.startReview(), is: false, "the log says nothing else of devices than it did")
        let state = try state(after: .device(name: "desk", key: nil))
        rotation.replayed(state)
        expect(rotation.startReview(), is: true)
        rotation.replayed(state)
        expect(rotation.startReview(), is: false)
    }

    @Test(
        "nothing is looked at while the server owes an answer, which its own record or another's after the same is"
    )
    func asked() throws {
        for answer in [second, EpochID(rawValue: 99)] {
            var rotation = try rotation()
            expect(rotation.startReview(), is: true)
            rotation.ask(for: second, after: newest, at: 0)
            rotation.changed()
            #expect(rotation.isOpen)
            expect(rotation.startReview(), is: false)
            expect(rotation.received(record(EpochID(rawValue: 5), after: EpochID(rawValue: 6))), is: false)
            expect(rotation.startReview(), is: false, "a record of something else is no answer")
            expect(rotation.received(record(answer, after: newest)), is: (answer == second))
            expect(rotation.startReview(), is: true)
            expect(rotation.received(record(answer, after: newest)), is: false, "it is answered once")
        }
    }

    @Test("a refusal of what was asked has the newest epoch looked at again, and another's hasn't")
    func refused() throws {
        var rotation = try rotation()
        expect(rotation.startReview(), is: true)
        expect(rotation.refused(second), is: false)
        rotation.ask(for: second, after: newest, at: 0)
        expect(rotation.refused(EpochID(rawValue: 99)), is: false)
        expect(rotation.startReview(), is: false)
        expect(rotation.refused(second), is: true)
        expect(rotation.startReview(), is: true)
    }

    @Test(
        "the server is asked once a minute at most for what follows the same epoch, but at once where it lacked one"
    )
    func patience() throws {
        var rotation = try rotation()
        expect(rotation.makesNext(after: newest, passing: nil, at: 5), is: true)
        rotation.ask(for: second, after: newest, at: 5)
        expect(rotation.refused(second), is: true)
        expect(rotation.startReview(), is: true)
        expect(rotation.makesNext(after: newest, passing: nil, at: 1_000_005), is: false)
        #expect(rotation.deadline == 60_000_005)
        expect(rotation.endWait(at: 60_000_004), is: false)
        expect(rotation.endWait(at: 60_000_005), is: true)
        #expect(rotation.deadline == nil)
        expect(rotation.endWait(at: 60_000_006), is: false)
        expect(
            rotation.makesNext(after: newest, passing: nil, at: 61_000_000), is: false, "it is late already")
        #expect(rotation.deadline == 61_000_001)
        expect(rotation.makesNext(after: second, passing: nil, at: 1), is: true, "another epoch")
        rotation.mayAskAgain()
        expect(rotation.makesNext(after: newest, passing: nil, at: 61_000_000), is: true)
    }

    @Test("a review ends the wait that one before it began") func reviewEndsWait() throws {
        var rotation = try rotation(.afterAWhile)
        expect(rotation.startReview(), is: true)
        expect(rotation.makesNext(after: newest, passing: nil, at: 0), is: false)
        #expect(rotation.deadline != nil)
        rotation.changed()
        expect(rotation.startReview(), is: true)
        #expect(rotation.deadline == nil)
    }

    @Test("a device that nobody waits for lets one to five seconds pass, each others") func afterAWhile()
        throws
    {
        var delays: Set<Duration> = []
        for byte in 1...40 as ClosedRange<UInt8> {
            var rotation = try rotation(.afterAWhile, by: Digest(InlineArray(repeating: byte)))
            expect(rotation.makesNext(after: newest, passing: nil, at: 1_000), is: false)
            delays.insert(try #require(rotation.deadline) - 1_000)
        }
        #expect(delays.allSatisfy { (.seconds(1)..<Duration.seconds(5)).contains($0) })
        #expect(delays.count > 30)
    }

    @Test(
        "where an epoch was made for others alone it is waited for them to go on, unless somebody has just decided",
        arguments: [KeyRotation.Pace.atOnce, .afterAWhile, .decided])
    func passing(pace: KeyRotation.Pace) throws {
        var rotation = try rotation(pace)
        #expect(rotation.waitsForOthers == (pace != .decided))
        expect(rotation.makesNext(after: newest, passing: .seconds(180), at: 7), is: (pace == .decided))
        #expect(rotation.deadline == (pace == .decided ? nil : 180_000_007))
        expect(rotation.makesNext(after: newest, passing: .zero, at: 7), is: (pace != .afterAWhile))
        _ = rotation.makesNext(after: newest, passing: .microseconds(Int64.max), at: 7)
        #expect(rotation.deadline == (pace == .decided ? nil : .distantFuture), "nothing overflows")
    }

    @Test("records that can't be used are told of as they become others") func bad() throws {
        var rotation = KeyRotation(.atOnce, by: own)
        func ring(_ bad: [UInt64]) throws -> KeyRing {
            try KeyRing(
                group, known: [first],
                records: bad.map {
                    EpochRecord(epoch: EpochID(rawValue: $0), predecessor: newest, body: [1])
                }, device: nil)
        }
        expect(rotation.adopted(try ring([])), is: nil)
        expect(rotation.adopted(try ring([3, 4])), is: 2)
        expect(rotation.adopted(try ring([3, 4])), is: nil)
        expect(rotation.adopted(try ring([4])), is: nil)
        expect(rotation.adopted(try ring([4, 5])), is: 2)
        #expect(rotation.keepsOut([]) && !rotation.keepsOut([other]))
    }
}
