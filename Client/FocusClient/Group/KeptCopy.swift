package import CommandLineKit
import FocusCore
import FocusStore
import Glibc

extension Device {
    /// Begins an empty log that belongs to no group, and keeps a copy of the one there was, for reading alone.
    ///
    /// Returns where the copy is.
    package func startOver(keepingCopyNamed name: String) throws(CommandFailure) -> Home {
        let day = LocalCalendar.here.day(of: try using { device throws(StoreError) in try device.now() })
        let copy: Home
        do throws(SystemError) {
            copy = try home.makeKept("\(name)-\(day)")
        } catch {
            throw CommandFailure(error)
        }
        do throws(CommandFailure) {
            try using { device throws(StoreError) in try device.store.startOver(keepingCopyAt: copy.database)
            }
        } catch {
            rmdir(copy.data)
            throw error
        }
        chmod(copy.database, 0o400)
        return copy
    }
}

extension Home {
    /// Makes the folder of a log that is kept for reading.
    fileprivate func makeKept(_ name: String) throws(SystemError) -> Home {
        var number = 1
        while true {
            let folder = number == 1 ? "\(data)/\(name)" : "\(data)/\(name)-\(number)"
            if mkdir(folder, 0o700) == 0 { return Home(folder: folder) }
            guard errno == EEXIST else { throw SystemError("\(folder) can't be made") }
            number += 1
        }
    }
}
