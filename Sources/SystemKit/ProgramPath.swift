/// Where the program is that runs, so that it can be started again, as it may have been upgraded since.
package enum ProgramPath {
    /// What the system adds to the path of a file that was removed, or that another one has taken the place of.
    private static let mark = " (deleted)"

    /// The path of this process's program; a name alone is to be looked for in PATH.
    package static var present: String {
        found(running: link("/proc/self/exe"), called: CommandLine.arguments.first) { access($0, X_OK) == 0 }
    }

    /// - Parameters:
    ///   - running: what the system says runs; nil where it doesn't.
    ///   - called: what the process was called by.
    ///   - isThere: whether a program is at a path.
    package static func found(running: String?, called: String?, isThere: (String) -> Bool) -> String {
        if let running {
            if isThere(running) { return running }
            // An upgrade has put the new one in its place.
            if running.hasSuffix(mark), case let place = String(running.dropLast(mark.count)), isThere(place)
            {
                return place
            }
        }
        if let called, called.hasPrefix("/"), isThere(called) { return called }
        return "focus"
    }

    private static func link(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = target.withUnsafeMutableBytes { buffer in
            buffer.assumingMemoryBound(to: CChar.self).baseAddress.map { readlink(path, $0, buffer.count) }
                ?? -1
        }
        guard count > 0, count < target.count else { return nil }
        return String(decoding: target[..<count], as: UTF8.self)
    }
}
