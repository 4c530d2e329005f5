import ClientSupport
import FocusCore
import FocusSeal
import FocusStore
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

@Suite("Who each key of a group is")
struct KeyStatusesTests {
    @Test(
        "whoever writes, accepts, joins and changes the key in any order, all lists and who can read are as the rules say",
        arguments: 1...40 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) throws {
        let world = try GroupWorld(seed: seed)
        for _ in 0..<50 { try world.step() }
        try world.settle()
        try world.check()
        try world.letAllBackIn()
        try world.check()
    }

    @Test("a readmission of a key that nobody has revoked keeps nobody from the group's key")
    func unfounded() throws {
        let world = try GroupWorld(seed: 0)
        try world.settle()
        let (one, other) = (world.members[0], world.members[1])
        _ = try one.device.store.author(now: 1_763_661_700_000) { try $0.write(.readmit(other.name)) }
        try world.settle()
        for member in world.members {
            #expect(try member.device.store.groupKeys()[other.name] == .member)
            #expect(try member.device.store.epochs().count == 1, "the key wasn't changed")
        }
    }
}
