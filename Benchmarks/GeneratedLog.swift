import FocusCore
import FocusText

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A log as text of any length.
enum GeneratedLog {
    /// Writes a log of `count` events to a file.
    static func write(count: Int, to path: String) throws {
        let log = ReplayBenchmark.makeLog(count: count)
        guard let file = fopen(path, "w") else {
            throw Programs.Failed(description: "\(path) can't be written")
        }
        defer { fclose(file) }
        var events = log.events(after: nil)
        while let event = events.next() { fputs("\(EventLine(event))\n", file) }
    }
}
