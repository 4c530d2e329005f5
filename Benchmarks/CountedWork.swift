import FocusCore
import FocusSeal
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A piece of the programs' work whose instructions and allocations are counted, whatever the clock says: `make counts`
/// (docs/performance.md, "What is counted").
struct CountedWork: Sendable {
    /// What it is called in `Benchmarks/counts.txt`.
    let name: String
    /// How often it is done for one count, so that what comes now and then, such as a full page, has its share.
    let times: Int
    /// Makes what it needs; what that gives does the work once, each time it is called.
    let prepare: @Sendable (CountedGround) throws -> () throws -> Void

    /// All of them.
    static let all = deviceWork + serverWork

    /// Does the one that the arguments name, so often as they say, after it was prepared; no arguments list all.
    static func run(_ arguments: ArraySlice<String>) throws {
        guard let name = arguments.first else {
            for work in all { print(work.name, work.times) }
            return
        }
        guard let work = all.first(where: { $0.name == name }),
            let times = arguments.dropFirst().first.flatMap({ Int($0) })
        else { throw Programs.Failed(description: "count NAME TIMES") }
        let ground = try CountedGround()
        // A process opens OpenSSL once, with the first thing that it hashes.
        _ = try ChainHasher(group: GroupID(high: 1, low: 0))
        let body = try work.prepare(ground)
        for _ in 0..<times { try body() }
    }
}

/// Where counted work is done: a folder of its own, and clocks that it moves itself.
final class CountedGround {
    let path: String
    let clock = CountedClock()

    init() throws {
        var template = Array("/tmp/focus-counts-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Programs.Failed(description: "no folder in /tmp") }
        path = String(cString: made)
    }

    deinit { _ = try? Programs().run("rm", ["-rf", path]) }
}

/// A clock that goes on only where it is told to.
final class CountedClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_763_661_600_000)

    var now: SharedInstant { SharedInstant(milliseconds: milliseconds.withLock { $0 }) }

    func pass(_ count: Int64) { milliseconds.withLock { $0 += count } }
}
