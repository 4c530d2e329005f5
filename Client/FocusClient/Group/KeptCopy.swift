package import CommandLineKit
import FocusCore
import FocusStore

extension Device {
    /// Begins an empty log that belongs to no group, and keeps a copy of the one there was, for reading alone.
    ///
    /// Returns where the copy is.
    package func startOver(keepingCopyNamed name: String) throws(CommandFailure) -> Home {
        let copy = try makeFolder(forCopyNamed: name)
        do throws(CommandFailure) {
            try using { device throws(StoreError) in try device.store.startOver(keepingCopyAt: copy.database)
            }
        } catch {
            store.removeFolder(copy.data)
            throw error
        }
        return copy
    }

    private func makeFolder(forCopyNamed name: String) throws(CommandFailure) -> Home {
        let day = LocalCalendar.here.day(of: try using { device throws(StoreError) in try device.now() })
        let path = "\(home.data)/\(name)-\(day)"
        do throws(StoreError) {
            return Home(folder: try store.makeFolder { $0 == 1 ? path : "\(path)-\($0)" })
        } catch {
            throw CommandFailure("\(error).")
        }
    }
}
