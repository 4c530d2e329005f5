import SystemKit

/// The person's browser, as the desktop finds it.
enum Browser {
    /// Has it show an address; false where there is none that can.
    static func open(_ address: String, _ environment: Environment) -> Bool {
        #if os(macOS)
            return start(["open", address])
        #else
            // Without any of these xdg-open would look for a browser that runs in a terminal.
            let desktop = ["WAYLAND_DISPLAY", "DISPLAY", "BROWSER"]
            guard desktop.contains(where: { environment[$0] != nil }) else { return false }
            return start(["xdg-open", address])
        #endif
    }

    /// Starts a program; false where it can't be started, or soon ends with a failure. One that
    /// goes on may be the browser itself: nobody waits for that.
    private static func start(_ words: [String]) -> Bool {
        guard let process = try? BackgroundProgram.start(words.first ?? "", words) else { return false }
        for _ in 0..<patience {
            var status: Int32 = 0
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status == 0 }
            if ended < 0, errno != EINTR { return false }
            poll(nil, 0, 10)
        }
        return true
    }

    /// So many hundredths of a second.
    private static let patience = 300
}
