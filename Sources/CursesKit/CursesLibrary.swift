import CNCurses
import SystemKit

extension lockstep_curses {
    /// What is used of ncurses, which is opened as a screen is taken over: no other command needs it.
    ///
    /// - Throws: where it isn't there.
    static func opened() throws(SharedLibrary.Failure) -> lockstep_curses {
        try SharedLibrary("libncursesw.so.6").functions(lockstep_curses_find)
    }
}
