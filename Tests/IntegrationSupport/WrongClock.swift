import FocusCore
import Foundation
package import Glibc
package import TestSupport

/// A wall clock that is wrong, for one program. The program's other clocks are right.
package struct WrongClock {
    /// The environment with which libfaketime shifts the clock.
    package let variables: [String: String]

    /// The program that libfaketime is loaded into first. It then starts the program with the wrong clock. It
    /// can't be written in Swift: libfaketime may move its environment, and then a Swift program would find no
    /// arguments.
    package let wrapper = ["/usr/bin/timeout", "\(Int(patience.seconds) * 10)"]

    /// Removes the shared memory that libfaketime leaves if its process is killed.
    package static func clearUp(after process: pid_t) {
        for kind in ["faketime_shm_", "sem.faketime_sem_"] {
            try? FileManager.default.removeItem(atPath: "/dev/shm/\(kind)\(process)")
        }
    }

    /// Removes the shared memory of all processes that have ended. A later process of the same number would
    /// use it.
    package static func clearUp() {
        let left = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        for name in left where name.hasPrefix("faketime_shm_") || name.hasPrefix("sem.faketime_sem_") {
            guard let process = name.split(separator: "_").last.flatMap({ pid_t($0) }),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: "/dev/shm/\(name)")
        }
    }

    /// Removes the shared memory of earlier test runs, once.
    private static let isClear: Void = clearUp()

    /// - Parameter shift: The clock's error, such as `+3h`.
    package init(_ shift: String) throws { try self.init(["FAKETIME": shift]) }

    /// - Parameter file: The path of a file with the clock's present error, such as `+3h`.
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

/// A program's wall clock that a test changes while the program runs.
package final class AdjustableClock {
    private let file: String
    package let clock: WrongClock

    /// A clock that is right.
    package init(in folder: TemporaryFolder) throws {
        file = folder.fresh("clock")
        clock = try WrongClock(readFrom: file)
        try set("+0")
    }

    /// Sets the clock's error from now on, such as `+3h`.
    package func set(_ shift: String) throws {
        try "\(shift)\n".write(toFile: file, atomically: true, encoding: .utf8)
    }
}
