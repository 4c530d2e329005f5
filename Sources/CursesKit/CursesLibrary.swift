import CNCurses
import SystemKit

extension lockstep_curses {
    /// Opens ncurses and returns its functions. It is opened for a screen only, because no other command
    /// needs it.
    ///
    /// - Throws: `SharedLibrary.Failure` if it isn't installed.
    static func opened() throws(SharedLibrary.Failure) -> lockstep_curses {
        try SharedLibrary("libncursesw.so.6").functions(lockstep_curses_find)
    }
}
