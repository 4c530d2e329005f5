import FocusNet
import SystemKit

/// A hook's time limit that holds though the agent ends meanwhile, however that comes: by `timeout` of coreutils, where
/// the system has it. While the agent runs it sees to the limit itself, a little earlier, and says so.
enum HookLimit {
    /// Beyond what the agent grants, in seconds; and how long a hook has then that was told to end.
    private static let seconds = 11
    private static let grace = 2

    /// What runs the hook at `path`.
    static func words(for path: String) -> [String] {
        guard let timeout else { return [path] }
        return [timeout, "-k", "\(grace)", "\(seconds)", path]
    }

    /// Where `timeout` is: not looked for in PATH, which the person may have put anything in.
    private static let timeout = ["/usr/bin/timeout", "/bin/timeout"].first { (path: String) in
        access(path, X_OK) == 0
    }

    /// What is to be added to how a hook ended.
    static func hint(_ end: ChildProcess.End) -> String {
        switch end {
        case .exited(126), .exited(127):
            ", which mostly says that a program isn't there: one that it calls, or the one that its first line has to "
                + "name, as #!/bin/sh does"
        case .exited, .signalled: ""
        }
    }
}
