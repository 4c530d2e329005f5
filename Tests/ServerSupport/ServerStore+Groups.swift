package import FocusCore
package import FocusServerStore
import TestSupport
import Testing

/// A group that a test has added, with one device.
package struct AddedGroup: Sendable {
    package let group: GroupID
    /// The group's number in the store.
    package let number: Int64
    package let device: Digest
}

extension ServerStore {
    /// Adds `count` groups, each with a device of its own.
    package func addGroups(_ count: Int) throws -> [AddedGroup] {
        try write { transaction in
            try (0..<count).map { index in
                let group = GroupID(high: 60, low: UInt64(index))
                try transaction.addGroupWithEpoch(group, now: ServerFixture.now)
                let number = try #require(try transaction.number(of: group))
                let device = try digest(number: 100 + index)
                try transaction.putDevice(device, inGroup: number, now: 1)
                return AddedGroup(group: group, number: number, device: device)
            }
        }
    }
}
