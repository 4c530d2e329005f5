import CursesKit
import Glibc
import Testing

@Suite("A terminal that can't be taken over")
struct ScreenTests {
    @Test("says what it wants for: ncurses, a descriptor, or a type that is known")
    func unusable() async {
        await #expect(processExitsWith: .success) {
            func failure() -> Screen.Failure? {
                do {
                    _ = try Screen(
                        types: ["none-such"], input: STDIN_FILENO, withColours: false, inUnicode: false)
                    return nil
                } catch {
                    return error
                }
            }
            /// Keeps the process from opening descriptors, or lets it open as many as before.
            var usual = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
            func close(_ isClosed: Bool) {
                var limit = rlimit(rlim_cur: isClosed ? 0 : usual.rlim_cur, rlim_max: usual.rlim_max)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            }
            close(true)
            let first = failure()
            if case .noLibrary? = first {} else { Issue.record("\(first as Any)") }
            close(false)
            #expect(failure() == .unknown(type: "none-such"))
            close(true)
            #expect(failure() == .noDescriptor)
        }
    }

    @Test("that was given back stays as it is: nothing is sent to it any more")
    func closed() async {
        await #expect(processExitsWith: .success) {
            // Needs a description of a terminal, which most systems have.
            guard
                let screen = try? Screen(
                    types: ["linux", "xterm", "vt100"], input: STDIN_FILENO, withColours: false,
                    inUnicode: false)
            else { return }
            screen.close()
            screen.suspend()
            screen.resume()
            screen.invalidate()
        }
    }
}
