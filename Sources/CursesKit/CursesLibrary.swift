import CNCurses
import SystemKit

extension lockstep_curses {
    /// What is used of ncurses, which is opened as a screen is taken over: no other command needs it.
    ///
    /// - Throws: where it isn't there.
    static func opened() throws(SharedLibrary.Failure) -> lockstep_curses {
        let library = try SharedLibrary("libncursesw.so.6")
        let symbols = UnsafeMutablePointer<lockstep_curses>.allocate(capacity: 1)
        defer { symbols.deallocate() }
        guard lockstep_curses_find(library.handle, symbols) else { throw SharedLibrary.Failure() }
        return symbols.pointee
    }
}
