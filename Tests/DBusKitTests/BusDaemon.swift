import FocusNet
import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import DBusKit

/// A bus of the test's own, with the reference implementation's daemon.
final class BusDaemon {
    let address: BusAddress
    private let path: String
    private let process = Process()

    /// Starts the daemon at a socket, and waits until it listens.
    init(at path: String) throws {
        self.path = path
        address = try BusDaemon.address(path)
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        process.arguments = ["--session", "--nofork", "--print-address", "--address=unix:path=\(path)"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It prints the address when it listens.
        _ = output.fileHandleForReading.availableData
    }

    deinit { kill() }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: path)
    }

    static func address(_ path: String) throws -> BusAddress {
        guard let address = BusAddress("unix:path=\(path)") else {
            throw WaitTimeout("\(path) is an address")
        }
        return address
    }
}

/// A loop with connections, and the values that they report.
final class BusLoop: Sendable {
    private let loop: EventLoop
    private let reports = Reports()

    /// The reports that nobody has read. The loop's thread may use them after the test.
    private final class Reports: Sendable {
        let texts = Mutex<[String]>([])
        let isNew = DispatchSemaphore(value: 0)

        func append(_ text: String) {
            texts.withLock { $0.append(text) }
            isNew.signal()
        }
    }

    init() throws { loop = try EventLoop() }

    deinit {
        loop.stop()
        loop.wait()
    }

    /// Runs `body` on the loop's thread. Its last parameter reports to `next`, and the objects that it returns
    /// live as long as the loop.
    func run(_ body: @escaping @Sendable (EventLoop, @escaping (String) -> Void) -> [AnyObject]) {
        let (loop, reports) = (loop, reports)
        loop.run { for object in body(loop, { reports.append($0) }) { loop.keepAlive(object) } }
    }

    /// Waits for the next report.
    func next() throws -> String {
        guard reports.isNew.wait(timeout: .now() + WaitTimeout.patience / .seconds(1)) == .success else {
            throw WaitTimeout("there is a report")
        }
        return reports.texts.withLock { $0.removeFirst() }
    }

    /// Waits for the next `count` reports.
    func next(_ count: Int) throws -> [String] { try (0..<count).map { _ in try next() } }
}
