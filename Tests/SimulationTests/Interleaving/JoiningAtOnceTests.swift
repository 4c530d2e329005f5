import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Joining a group while others press", .ends(within: .seconds(120)))
struct JoiningAtOnceTests {
    /// Adds a phase with a label of its own to the history.
    private func add(_ laptop: BusyLaptop) throws {
        let now = laptop.interleaver.clocks.wall()
        let length = laptop.dice.length(60_000, upTo: 120_000)
        let phase = try PastPhase(
            .work, Interval(from: now - length, to: now - 1000), .completed, label: laptop.label())
        try laptop.press(.add(phase), on: try laptop.open())
    }

    /// Joins a group, as if the server had let the laptop in.
    private func join(_ laptop: BusyLaptop, _ choice: SoloHistory.Choice) throws {
        let bundle = GroupBundle(
            group: GroupID(high: 1, low: 2), key: try EpochKey(SecretBytes(Array(0..<32))))
        let server = try #require(Digest(bytes: [UInt8](repeating: 9, count: 32)))
        let secret = try #require(InviteSecret(SecretBytes(Array(repeating: 5, count: InviteSecret.length))))
        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: bundle.group)), addresses: ["focus.example.org"],
            server: ServerPin(server), secret: secret)
        let device = try laptop.open()
        let attempt = try JoinAttempt(invite, name: nil, choice, device)
        let enrolled = Enrolled(group: bundle.group, bundle: try secret.wrap(bundle))
        _ = try attempt.enter(device, enrolled, as: nil)
    }

    /// Returns the labels of the records in the log at `path`.
    private func records(_ laptop: BusyLaptop, at path: String) throws -> [String] {
        let store = try DeviceStore(
            path: path, on: .virtual(laptop.disk), access: .reading,
            makeReplica: { ReplicaID(rawValue: 1) })
        return try store.allStoredEvents().compactMap {
            guard case .record(let record)? = $0.event?.action else { return nil }
            return record.label
        }
    }

    private func taken(_ laptop: BusyLaptop) -> [String] {
        laptop.taken.compactMap {
            guard case .record(let record) = $0.action else { return nil }
            return record.label
        }
    }

    @Test("records added while the laptop joins are in the group's history once")
    func takingAlong() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            try add(laptop)
            laptop.interleaver.add { try join(laptop, .takeAlong) }
            for _ in 0..<2 { laptop.interleaver.add { for _ in 0..<3 { try add(laptop) } } }
            laptop.run()
            try laptop.check()
            let found = try records(laptop, at: BusyLaptop.home.database)
            #expect(found.sorted() == taken(laptop).sorted(), "seed \(seed)")
            #expect(try laptop.open().store.group() != nil, "seed \(seed)")
        }
    }

    @Test("a history left behind is in the copy, and later presses are in the group's log")
    func leavingBehind() throws {
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            try add(laptop)
            laptop.interleaver.add { try join(laptop, .leaveBehind) }
            for _ in 0..<2 { laptop.interleaver.add { for _ in 0..<3 { try add(laptop) } } }
            laptop.run()
            try laptop.check()
            let copy = try #require(laptop.disk.paths.first { $0.contains("alone-") && $0.hasSuffix(".db") })
            let found = try records(laptop, at: BusyLaptop.home.database) + records(laptop, at: copy)
            #expect(found.sorted() == taken(laptop).sorted(), "seed \(seed)")
        }
    }

    @Test("after a loss of power or a killed command the laptop has joined or not, and nothing is lost")
    func interrupted() throws {
        var joined = 0
        for seed in Schedules.seeds(1...60) {
            let laptop = BusyLaptop(seed: seed)
            try add(laptop)
            let call = Int.random(in: 100...900, using: &laptop.dice)
            let losesPower = Bool.random(using: &laptop.dice)
            if losesPower { laptop.interleaver.losePower(at: call) }
            laptop.interleaver.add(losesPower ? nil : .killed(at: call)) { try join(laptop, .takeAlong) }
            laptop.interleaver.add { for _ in 0..<3 { try add(laptop) } }
            laptop.run()
            try laptop.check()
            let found = try records(laptop, at: BusyLaptop.home.database)
            for label in taken(laptop) { #expect(found.count { $0 == label } == 1, "seed \(seed)") }
            joined += try laptop.open().store.group() == nil ? 0 : 1
        }
        #expect(1..<60 ~= joined)
    }
}
