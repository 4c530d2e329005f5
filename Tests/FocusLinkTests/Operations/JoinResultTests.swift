import ClientSupport
import CommandLineKit
import FocusCore
import FocusSeal
import FocusStore
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusFront
@testable import FocusLink

@Suite("What is said of joining")
struct JoinResultTests {
    private func joined(
        _ kind: JoinResult.Kind = .joined, others: [String] = ["home", "shelf"], hasNamesake: Bool = false,
        notices: [SyncNotice] = []
    ) -> JoinResult {
        JoinResult(
            addresses: ["a.example.org", "b.example.org"], kind, name: "desk", others: others,
            hasNamesake: hasNamesake, notices: notices)
    }

    @Test("says where the laptop is, and with whom")
    func sentences() {
        #expect(joined().sentence == "This laptop is in the group now, as desk, with home, shelf.")
        #expect(
            joined(others: []).sentence
                == "This laptop is in the group now, as desk, with no other laptop yet."
        )
        #expect(
            joined(.alreadyMember).sentence
                == "This laptop is in that group already, as desk, with home, shelf.")
        #expect(
            joined(.movedGroup).sentence
                == "This laptop's group is now on the server at a.example.org, b.example.org. This laptop is called desk, and is with home, shelf."
        )
    }

    @Test("says that the name is taken, with what gives another one there")
    func namesake() {
        #expect(joined().sentences(remedy: "e").count == 1)
        #expect(
            joined(hasNamesake: true, notices: [.cloned]).sentences(remedy: "e").dropFirst() == [
                "Another laptop of the group is called desk too. e gives this one a name of its own.",
                SyncNotice.cloned.sentence,
            ])
    }

    @Test("names those that are in the group, and finds who is called the same")
    func device() throws {
        let home = TemporaryHome()
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.store.enter(
            GroupID(high: 1, low: 2), StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil))
        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: GroupID(high: 1, low: 2))), addresses: ["focus.example.org"],
            server: ServerPin(#require(Digest(bytes: [UInt8](repeating: 9, count: 32)))),
            secret: .random())
        #expect(try JoinResult(device, with: invite, notices: []).isFirst)
        let stamp = try #require(Stamp(time: 1_763_661_000_000, counter: 0))
        let event = Event(
            replica: ReplicaID(rawValue: 0x21), seq: 1, stamp: stamp,
            action: .device(name: "laptop", key: String(repeating: "bb", count: 32)))
        _ = try device.store.merge([StoredEvent(event, epoch: EpochID(rawValue: 1))], acknowledged: true)
        let joined = try JoinResult(device, with: invite, notices: [])
        #expect(joined.others == ["laptop (bbbbbbbb)"] && joined.hasNamesake && joined.name == "laptop")
        #expect(try device.namesakeSentence("e") == joined.namesakeSentence("e"))

        // It may be what this laptop was before, unless it is in use, or may be, at another server.
        let key = try #require(Digest(hexadecimal: String(repeating: "bb", count: 32)))
        #expect(joined.former == FormerSelf(key: key, title: "laptop (bbbbbbbb)", age: .seconds(600)))
        #expect(try JoinResult(device, with: invite, online: [key], notices: []).former == nil)
        #expect(try JoinResult(device, with: invite, .movedGroup, notices: []).former == nil)
    }

    @Test(
        "of several laptops that this one may have been before, the last used one that isn't connected counts"
    )
    func severalFormer() throws {
        let home = TemporaryHome()
        let device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        try device.enterGroup()
        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: GroupID(high: 1, low: 2))), addresses: ["focus.example.org"],
            server: ServerPin(#require(Digest(bytes: [UInt8](repeating: 9, count: 32)))),
            secret: .random())
        for (index, digit) in ["c", "d", "b"].enumerated() {
            try device.merge(
                .device(name: index < 2 ? "laptop" : "desk", key: String(repeating: digit, count: 64)),
                by: 0x21 + UInt64(index), at: 1_763_661_000_000 + .milliseconds(Int64(10 - index)))
        }
        #expect(try JoinResult(device, with: invite, notices: []).former?.title == "laptop (cccccccc)")
        let key = try #require(Digest(hexadecimal: String(repeating: "c", count: 64)))
        let joined = try JoinResult(device, with: invite, online: [key], notices: [])
        #expect(joined.former?.title == "laptop (dddddddd)")
    }

    @Test("a laptop that is in a group is joined to no other by a view, which uses up no invite")
    func inGroup() throws {
        let home = TemporaryHome()
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.requireNoGroup()
        #expect(throws: DeviceFailure.inNoGroup) { try device.requireGroup() }
        try device.store.enter(
            GroupID(high: 1, low: 2), StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil))
        #expect(throws: DeviceFailure.inGroup) { try device.requireNoGroup() }
        try device.requireGroup()
    }
}
