import FocusCore
package import FocusStore

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
