import FocusCore
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

extension Device {
    /// Begins an empty log that belongs to no group, and keeps a copy of the one there was, for reading alone.
    ///
    /// - Parameter forgotten: What goes besides the log, of what the device keeps by name.
    /// - Returns: Where the copy is.
    package func startOver(
        keepingCopyNamed name: String, forgetting forgotten: [ProfileKey] = []
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

    /// Makes a folder for what the laptop goes on without, named after the day.
    func makeFolder(forCopyNamed name: String) throws(DeviceFailure) -> Home {
        let day = LocalCalendar.here.day(of: try attempt { device throws(StoreError) in try device.now() })
        let path = "\(home.data)/\(name)-\(day)"
        do throws(StoreError) {
            return Home(folder: try store.makeFolder { $0 == 1 ? path : "\(path)-\($0)" })
        } catch {
            throw .noCopy(error)
        }
    }
}

extension Device {
    /// Brings back to now what lies ahead of it in the log, as the clock is right (docs/timer-rules.md §1).
    ///
    /// - Returns: What was done, and where the copy of the log is as it was; nil if nothing lies ahead.
    package func bringBack() throws(DeviceFailure) -> (done: BroughtBack, copy: Home)? {
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
