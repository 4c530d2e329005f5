package import FocusStore

// Whether the laptop is in a group, and how it leaves one.
extension Device {
    /// Throws where the laptop is in a group. Views make it part of one only where it is alone: what it is in would turn
    /// the invite down only after that was used up.
    package func requireAlone() throws(DeviceFailure) {
        guard try attempt({ device throws(StoreError) in try device.store.group() }) == nil else {
            throw .inGroup
        }
    }

    /// Throws where the laptop is in no group.
    package func requireGroup() throws(DeviceFailure) {
        guard try attempt({ device throws(StoreError) in try device.store.group() }) != nil else {
            throw .inNoGroup
        }
    }

    /// Whether no other laptop of the group could let this one in again.
    package func isLastOfGroup() throws(StoreError) -> Bool {
        try !DeviceList(self).entries.contains {
            !$0.isThis && $0.isMember
        }
    }

    /// Parts from the group, keeping a copy of its log, and its key with that. The rest of the group is told before.
    ///
    /// Wherever the laptop joins next, it is known by another key: the group may shut the former one out, or may have
    /// done so already.
    ///
    /// Returns where the copy is.
    package func leave() throws(DeviceFailure) -> Home {
        try requireGroup()
        let copy = try startOver(keepingCopyNamed: "left", forgetting: ProfileKey.ofKey)
        try putKeyAway(to: copy)
        return copy
    }
}
