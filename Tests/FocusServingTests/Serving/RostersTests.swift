import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusServing

@Suite struct RostersTests {
    @Test("a roster is ordered by the times of enrolment, in whatever order devices came and changed")
    func order() throws {
        var random = SeededGenerator(seed: 11)
        var rosters = Rosters()
        var expected: [Digest: StoredDevice] = [:]
        for _ in 0..<2_000 {
            let key = try digest(UInt8.random(in: 0..<60, using: &random))
            if Int.random(in: 0..<4, using: &random) == 0 {
                let removed = rosters.remove(key, from: ServerFixture.group)
                #expect(removed == expected.removeValue(forKey: key))
            } else {
                let device = StoredDevice(
                    key: key, group: ServerFixture.group, isProved: Bool.random(using: &random),
                    enrolled: SharedInstant(milliseconds: .random(in: 0..<20, using: &random)), lastSeen: 0,
                    revoked: Bool.random(using: &random) ? 1 : nil)
                rosters.put(device)
                expected[key] = device
            }
            let listed = rosters.roster(of: ServerFixture.group)
            #expect(listed == expected.values.sorted { $0.isListed(before: $1) })
            #expect(rosters.memberCount == expected.values.count { $0.isProved && $0.revoked == nil })
        }
        rosters.remove(ServerFixture.group)
        #expect(rosters.roster(of: ServerFixture.group).isEmpty)
        #expect(rosters.memberCount == 0)
    }
}
