import FocusCore
import FocusServerStore
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerCore

/// Tests of two servers' writers on one store. Each writer reads only the groups with devices that are
/// connected to its server.
@Suite("Groups that a writer keeps up with", .ends(within: .seconds(120)))
struct ModelSubscriptionTests {
    private let address: PostgreSQLAddress
    private let places: [AddedGroup]
    /// The server that receives all presses.
    private let one: LogWriter
    /// The server that learns of these presses as news.
    private let other: LogWriter

    init() throws {
        address = try ServerFixture.makeDatabase()
        let store = try ModelSubscriptionTests.open(address)
        places = try store.addGroups(20)
        one = try LogWriter(on: store)
        other = try LogWriter(on: ModelSubscriptionTests.open(address))
        // A writer's first batch does some extra work, which shouldn't count in the tests.
        for writer in [one, other] { _ = writer.batches([.shared(.news(StoreNews(), for: nil))]) }
    }

    private static func open(_ address: PostgreSQLAddress) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore(at: address, access: .existing)
    }

    /// Uploads a segment through a server.
    private func press(_ segment: Segment, _ place: AddedGroup, at writer: LogWriter) -> [CommitOutcome] {
        writer.batches([.merge(segment, place.group, by: place.device, from: 1)])
    }

    /// Tells the other server that these groups' logs have changed.
    private func hear(_ heard: [AddedGroup]) -> [CommitOutcome] {
        other.batches([.shared(.news(StoreNews(logs: Set(heard.map(\.number))), for: nil))])
    }

    @Test(
        "others' events of a group are read when a device connects, and from then on with each news")
    func connects() throws {
        var author = Author(1, group: places[0].group)
        for _ in 0..<2 { _ = press(try author.write(2), places[0], at: one) }
        _ = hear(places)
        // If several devices connect at once, the first one waits until the group is read, and all are told
        // when it is.
        let came = other.batches([
            .shared(.follow(places[0].group, for: 7)), .shared(.follow(places[1].group, for: 8)),
            .shared(.follow(places[0].group, for: 9)),
        ])
        let order = came.flatMap(\.pushes).map { push in
            switch push {
            case .events(let push, _, _): "push \(push.lastSeq)"
            case .caughtUp(let connection): "caught up \(connection)"
            }
        }
        #expect(order == ["push 4", "caught up 7", "caught up 8", "caught up 9"])
        #expect(other.groups[places[0].group] == one.groups[places[0].group])
        _ = press(try author.write(1), places[0], at: one)
        #expect(hear([places[0]]).pushes.map(\.lastSeq) == [5])
        // Once nobody is connected any more, nothing is read.
        _ = other.batches([.shared(.unfollow(places[0].group))])
        _ = press(try author.write(1), places[0], at: one)
        #expect(hear([places[0]]).pushes.isEmpty)
        // A device that connects, leaves and connects again before the writer hears of it counts as
        // connected.
        let again = other.batches([
            .shared(.follow(places[0].group, for: 10)), .shared(.unfollow(places[0].group)),
            .shared(.follow(places[0].group, for: 11)),
        ])
        #expect(again.pushes.map(\.lastSeq) == [6])
        #expect(other.follows(places[0].group) && other.groups == one.groups.merging(other.groups) { $1 })
    }

    @Test("when everything is read again, logs of groups without a connected device wait until one connects")
    func readAnew() throws {
        for place in places {
            var author = Author(1, group: place.group)
            _ = press(try author.write(2), place, at: one)
        }
        _ = other.batches([.shared(.follow(places[0].group, for: nil))])
        let all = other.batches([.shared(.news(StoreNews(isAll: true), for: nil))])
        #expect(all.pushes.map(\.lastSeq) == [2])
        #expect(other.groups[places[0].group] == one.groups[places[0].group])
        #expect(places.dropFirst().allSatisfy { other.isBehind($0.group) })
        let came = other.batches([.shared(.follow(places[1].group, for: 7))])
        #expect(came.pushes.map(\.lastSeq) == [2] && !other.isBehind(places[1].group))
        #expect(other.groups[places[1].group] == one.groups[places[1].group])
    }

    @Test("a write to a group without a connected device respects what others have stored in it")
    func writes() throws {
        var (author, second) = (Author(1, group: places[0].group), Author(2, group: places[0].group))
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: ServerFixture.epoch, body: [1, 2, 3])
        _ = press(try author.write(2), places[0], at: one)
        _ = one.batches([
            .ask(.successor(record, discounting: []), places[0].group, by: places[0].device, from: 1)
        ])
        _ = hear(places)
        // The event's epoch isn't in the writer's memory.
        let outcomes = press(try second.write(1, epoch: record.epoch), places[0], at: other)
        #expect(outcomes.seqs == [1])
        #expect(outcomes.acks.allSatisfy { $0.stop == nil })
        #expect(other.groups[places[0].group]?.heads.count == 2)
        _ = one.batches([.shared(.follow(places[0].group, for: nil))])
        _ = one.batches([.shared(.news(StoreNews(logs: [places[0].number]), for: nil))])
        #expect(other.groups[places[0].group] == one.groups[places[0].group])
    }

    @Test("if the store can't be read, a device enters with the known events, and gets the rest later")
    func unreadable() throws {
        var fates = [0, 5]
        let store = LossyStore(try ModelSubscriptionTests.open(address)) { fates.popLast() ?? 5 }
        let writer = try LogWriter(on: store)
        _ = writer.batches([.shared(.news(StoreNews(), for: nil))])
        var author = Author(1, group: places[0].group)
        _ = press(try author.write(2), places[0], at: one)
        let news = WriterRequest.shared(.news(StoreNews(logs: [places[0].number]), for: nil))
        let failed = writer.batches([news, .shared(.follow(places[0].group, for: 7))])
        #expect(failed.caughtUp.contains(7))
        #expect(failed.pushes.isEmpty && writer.lacksNews)
        let later = writer.batches([.shared(.news(StoreNews(), for: nil))])
        #expect(later.pushes.map(\.lastSeq) == [2] && !writer.lacksNews)
    }

    @Test("rosters are read of all groups")
    func rosters() throws {
        let store = try ModelSubscriptionTests.open(address)
        try store.write { try $0.revokeDevice(places[3].device, inGroup: places[3].number, now: 5) }
        for read in [places[0..<20], places[3..<4]] {
            let numbers = Set(read.map(\.number))
            let rosters = other.batches([.shared(.news(StoreNews(rosters: numbers), for: nil))]).answers
                .compactMap {
                    outcome -> [StoredDevice]? in
                    if case .roster(let devices) = outcome { devices } else { nil }
                }
            let stored = try store.read { snapshot in try numbers.sorted().map(snapshot.devices) }
            #expect(rosters == stored && rosters.allSatisfy { !$0.isEmpty })
        }
    }
}
