import CDBus
import SystemKit

extension lockstep_dbus {
    /// Opens libdbus and returns its functions. It is opened for the first bus only, because few commands use
    /// one.
    ///
    /// - Throws: `.noLibrary` if it can't be opened.
    static func opened() throws(BusError) -> lockstep_dbus {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libdbus-1.so.3").functions(lockstep_dbus_find)
        } catch {
            throw .noLibrary(error.reason)
        }
    }
}

extension BusAddress {
    /// Whether libdbus can be opened on this machine.
    package static var hasLibrary: Bool {
        do throws(BusError) {
            _ = try lockstep_dbus.opened()
            return true
        } catch {
            return false
        }
    }
}
