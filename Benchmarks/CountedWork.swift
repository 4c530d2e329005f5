import FocusCore
import FocusSeal
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A piece of the programs' work for which `make counts` counts instructions and allocations, independent of
/// time (docs/performance.md, "What is counted").
struct CountedWork: Sendable {
    /// The work's name in `Benchmarks/counts.txt`.
    let name: String
    /// The number of repetitions for one count. It is high enough that rare costs, such as a full page, occur
    /// in a count.
    let times: Int
    /// Prepares the work, and returns a function that does it once per call.
    let prepare: @Sendable (Surroundings) throws -> () throws -> Void

    /// All counted work.
    static let all = deviceWork + serverWork

    /// Prepares the work with the name in the first argument, and repeats it. The second argument is the number
    /// of repetitions. Without arguments, prints each work's name and its `times`.
    static func run(_ arguments: ArraySlice<String>) throws {
        guard let name = arguments.first else {
            for work in all { print(work.name, work.times) }
            return
        }
        guard let work = all.first(where: { $0.name == name }),
            let times = arguments.dropFirst().first.flatMap({ Int($0) })
        else { throw Programs.Failed(description: "count NAME TIMES") }
        let surroundings = try Surroundings()
        // A process sets up OpenSSL once, with its first hash; this keeps that out of the count.
        _ = try ChainHasher(group: GroupID(high: 1, low: 0))
        let body = try work.prepare(surroundings)
        for _ in 0..<times { try body() }
    }
}

/// The surroundings of counted work: a folder of its own, and a clock that the work advances itself.
final class Surroundings {
    let path: String
    let clock = CountedClock()

    init() throws {
        var template = Array("/tmp/focus-counts-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Programs.Failed(description: "no folder in /tmp") }
        path = String(cString: made)
    }

    deinit { _ = try? Programs().run("rm", ["-rf", path]) }
}

/// A clock that only advances when `advance` is called.
final class CountedClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_763_661_600_000)

    var now: SharedInstant { SharedInstant(milliseconds: milliseconds.withLock { $0 }) }

    func advance(by count: Int64) { milliseconds.withLock { $0 += count } }
}
