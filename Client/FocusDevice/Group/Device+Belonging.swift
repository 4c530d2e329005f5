import FocusCore
package import FocusStore

// The laptop's membership in a group, and leaving the group.
extension Device {
    /// Throws if the laptop is in a group. Front ends check this before they join one. Otherwise the server
    /// would use up the invite, and only then the laptop would refuse to join.
    package func requireNoGroup() throws(DeviceFailure) {
        guard try attempt({ device throws(StoreError) in try device.store.group() }) == nil else {
            throw .inGroup
        }
    }

    /// Throws if the laptop is in no group.
    package func requireGroup() throws(DeviceFailure) {
        guard try attempt({ device throws(StoreError) in try device.store.group() }) != nil else {
            throw .inNoGroup
        }
    }

    /// Whether this laptop is the group's only member. No other laptop could then invite it back.
    package func isOnlyMember() throws(StoreError) -> Bool {
        try !DeviceList(self).entries.contains {
            !$0.isThis && $0.isMember
        }
    }

    /// Whether this laptop was shut out of its group, by the server's word or by the log. False if it only left.
    package func isShutOut() throws(StoreError) -> Bool {
        if try isRevoked() { return true }
        return try DeviceList(self).entries.contains {
            $0.isThis && $0.isRevoked && !$0.hasLeft
        }
    }

    /// Leaves the group, and keeps a copy of its log together with the laptop's key. The caller has told the
    /// rest of the group before.
    ///
    /// The laptop joins its next group under another key: the former group may revoke the present one.
    ///
    /// - Returns: The folder of the copy.
    /// - Throws: `inNoGroup` if the laptop is in no group, or another `DeviceFailure`.
    package func leave() throws(DeviceFailure) -> Home {
        try requireGroup()
        let copy = try startOver(keepingCopyNamed: "left", forgetting: StoredValueKey.aboutDeviceKey)
        try platform.archiveKey(home, copy)
        return copy
    }
}

extension Device {
    /// Begins an empty log that belongs to no group. Keeps a copy of the former log, for reading only.
    ///
    /// - Parameter forgotten: The keys of the values to remove besides the log.
    /// - Returns: The folder of the copy.
    package func startOver(
        keepingCopyNamed name: String, forgetting forgotten: [StoredValueKey] = []
    ) throws(DeviceFailure) -> Home {
        let copy = try makeFolder(forCopyNamed: name)
        do throws(DeviceFailure) {
            try attempt { device throws(StoreError) in
                try device.store.startOver(keepingCopyAt: copy.database, forgetting: forgotten)
            }
        } catch {
            store.removeFolder(copy.data)
            throw error
        }
        return copy
    }

    /// Makes a folder for a copy. It is named after the day, with a number if that name is taken.
    func makeFolder(forCopyNamed name: String) throws(DeviceFailure) -> Home {
        let now = try attempt { device throws(StoreError) in try device.now() }
        let day = platform.zone().calendar.day(of: now)
        let path = "\(home.data)/\(name)-\(day)"
        do throws(StoreError) {
            return Home(folder: try store.makeFolder { $0 == 1 ? path : "\(path)-\($0)" })
        } catch {
            throw .noCopy(error)
        }
    }
}

extension Device {
    /// Brings back the early events: writes them again, no later than now. The caller knows that the clock is
    /// right (docs/timer-rules.md §1).
    ///
    /// - Returns: The changes, and the folder with a copy of the former log. Nil if there are no early
    ///   events.
    package func bringBack() throws(DeviceFailure) -> (done: EarlyEventRepair, copy: Home)? {
        updateCounted()
        guard try attempt({ device throws(StoreError) in try device.store.earlyEvents() }) != nil else {
            return nil
        }
        let copy = try makeFolder(forCopyNamed: "ahead")
        do throws(DeviceFailure) {
            let done = try attempt { device throws(StoreError) in
                try device.store.bringBack(.all(keepingCopyAt: copy.database), at: device.now())
            }
            if !done.isEmpty { return (done, copy) }
        } catch {
            store.removeFolder(copy.data)
            throw error
        }
        store.removeFolder(copy.data)
        return nil
    }
}
