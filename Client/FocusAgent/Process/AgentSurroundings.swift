import FocusNet
import SystemKit

/// What the agent doesn't keep of the command that started it, as it goes on for days.
package enum AgentSurroundings {
    /// What names folders; a path that isn't absolute holds where the command was.
    private static let folders = ["FOCUS_HOME", "HOME"]

    /// Lets go of them, in this process: descriptors but for standard input, output and error, the working directory,
    /// and the time zone. To be called before there is another thread or an open file.
    package static func leave() {
        // A file that is opened later must not be taken for one of these three.
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
        OpenDescriptors.close(from: 3)
        unsetenv("TZ")
        if makeFoldersAbsolute() { _ = chdir("/") }
    }

    /// False where the working directory has no path any more.
    private static func makeFoldersAbsolute() -> Bool {
        for name in folders {
            guard let value = Environment.process[name], !value.hasPrefix("/") else { continue }
            guard let present = getcwd(nil, 0) else { return false }
            defer { free(present) }
            setenv(name, "\(String(cString: present))/\(value)", 1)
        }
        return true
    }
}
