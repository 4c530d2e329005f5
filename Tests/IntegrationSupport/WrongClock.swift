import FocusCore
import Foundation
package import Glibc
package import TestSupport

/// A wall clock that is wrong, for one program. Its other clocks are right.
package struct WrongClock {
    /// The environment that makes libfaketime shift the clock.
    package let variables: [String: String]

    /// What the program is run under. libfaketime adds to the environment of the first program that it is loaded
    /// into, and Swift finds no arguments where the environment has moved; so that program is another one.
    package let wrapper = ["/usr/bin/timeout", "\(Int(patience.seconds) * 10)"]

    /// Removes what libfaketime leaves in shared memory where a process that it was loaded into was killed.
    package static func clearUp(after process: pid_t) {
        for kind in ["faketime_shm_", "sem.faketime_sem_"] {
            try? FileManager.default.removeItem(atPath: "/dev/shm/\(kind)\(process)")
        }
    }

    /// The same for all processes that are no more. What they left would mislead a later one of the same number.
    package static func clearUp() {
        let left = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        for name in left where name.hasPrefix("faketime_shm_") || name.hasPrefix("sem.faketime_sem_") {
            guard let process = name.split(separator: "_").last.flatMap({ pid_t($0) }),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: "/dev/shm/\(name)")
        }
    }

    /// What earlier runs left that were killed is removed once.
    private static let isClear: Void = clearUp()

    /// - Parameter shift: what it is wrong by, as `+3h`.
    package init(_ shift: String) throws { try self.init(["FAKETIME": shift]) }

    /// - Parameter file: what it is wrong by at each moment, as `+3h`.
    fileprivate init(readFrom file: String) throws {
        try self.init(["FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1"])
    }

    private init(_ shift: [String: String]) throws {
        WrongClock.isClear
        let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
        let library = folders.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
            .first(where: FileManager.default.fileExists)
        guard let library else { throw Unmet("libfaketime is missing; scripts/setup installs it") }
        variables = ["LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1"].merging(shift) { $1 }
    }
}

/// A wall clock of a program that a test sets while the program runs.
package final class AdjustableClock {
    private let file: String
    package let clock: WrongClock

    /// A clock that is right.
    package init(in folder: TemporaryFolder) throws {
        file = folder.fresh("clock")
        clock = try WrongClock(readFrom: file)
        try set("+0")
    }

    /// Makes it wrong by so much from now on, as `+3h`.
    package func set(_ shift: String) throws {
        try "\(shift)\n".write(toFile: file, atomically: true, encoding: .utf8)
    }
}
