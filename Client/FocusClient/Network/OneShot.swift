import CommandLineKit
import FocusCore
import FocusNet
import FocusStore
import FocusSync
import Synchronization

/// One errand to the server, run from a command that waits for it: connect, sync, ask one thing, leave.
///
/// It has a connection of its own, beside the agent's where one runs; the server takes from each what it lacks.
final class OneShot: SyncObserver {
    private let device: Device
    private let errand: Errand
    private let loop: EventLoop
    private let report: @Sendable (Result<ErrandOutcome, ErrandFailure>) -> Void
    private var driver: SyncDriver?
    private var outcome = ErrandOutcome()
    /// What is reported once the connection is over.
    private var result: Result<ErrandOutcome, ErrandFailure>?

    private init(
        _ device: Device, _ errand: Errand, on loop: EventLoop,
        report: @escaping @Sendable (Result<ErrandOutcome, ErrandFailure>) -> Void
    ) {
        self.device = device
        self.errand = errand
        self.loop = loop
        self.report = report
    }

    /// Runs an errand on a loop of its own, and waits for its end, `timeout` at most.
    ///
    /// - Parameters:
    ///   - openDevice: opens the device's log; called on the errand's thread.
    ///   - makeErrand: what is to be done there.
    static func run(
        within timeout: Duration, openDevice: @escaping @Sendable () throws -> Device,
        _ makeErrand: @escaping @Sendable (Device) throws -> Errand
    ) throws -> ErrandOutcome {
        let loop = try EventLoop()
        let result = Answer()
        loop.run {
            let report: @Sendable (Result<ErrandOutcome, ErrandFailure>) -> Void = { outcome in
                result.value.withLock { $0 = outcome }
                loop.stop()
            }
            do {
                let device = try openDevice()
                let shot = OneShot(device, try makeErrand(device), on: loop, report: report)
                // Until there is a connection, which keeps its observer, the timer keeps the errand alive.
                loop.schedule(after: timeout) { shot.finish(.failure(.timedOut)) }
                try shot.start()
            } catch {
                report(.failure(ErrandFailure(error)))
            }
        }
        loop.wait()
        return try result.value.withLock { try $0.get() }
    }

    /// Where the errand's thread leaves what came of it.
    private final class Answer: Sendable {
        let value = Mutex<Result<ErrandOutcome, ErrandFailure>>(.failure(.timedOut))
    }

    private func start() throws {
        let purpose: SyncDriver.Purpose
        let server: ServerAddress
        if case .join(let joining) = errand {
            purpose = .enrol(joining.enrol)
            server = joining.server
        } else {
            guard let membership = try Membership(device), let log = try GroupLog(device.store) else {
                throw ErrandFailure.noGroup
            }
            purpose = .sync(log)
            server = membership.server
        }
        let driver = try SyncDriver(
            purpose, server: server, context: try Credentials(device).context, store: device.store,
            clock: try device.clock().estimate, on: loop, observer: self)
        self.driver = driver
        driver.start()
    }

    /// Leaves; the result is reported once the connection is over.
    private func finish(_ result: Result<ErrandOutcome, ErrandFailure>) {
        guard self.result == nil else { return }
        self.result = result
        driver?.leave()
        // A server that doesn't take its leave is not waited for.
        let report = report
        loop.schedule(after: .seconds(1)) { report(result) }
    }

    // MARK: - What the connection brings

    func enrolled(_ enrolled: Enrolled) throws -> GroupLog {
        guard case .join(let joining) = errand else {
            throw CommandFailure("The server let this laptop in though it had not asked.")
        }
        return try joining.settleIn(device, enrolled, key: try Credentials(device).keyHash)
    }

    func connected(_ presence: [Presence]) {
        switch errand {
        case .sync, .join: break
        case .invite(let request): driver?.createInvite(request)
        case .revoke(let key):
            attempt {
                // Where another laptop was faster, the server has nothing to say about it any more.
                let isDone = try device.store.devices().contains { $0.isRevoked && $0.key == key }
                if isDone { finish(.success(outcome)) } else { driver?.revoke(key) }
            }
        }
    }

    func settled(_ traffic: SyncTraffic) {
        outcome.traffic = traffic
        switch errand {
        case .sync, .join: finish(.success(outcome))
        case .invite, .revoke: break
        }
    }

    func answered(_ subject: Digest, _ refusal: Refusal?) {
        finish(refusal.map { .failure(.refused($0)) } ?? .success(outcome))
    }

    func clockLearnt(_ clock: ClockEstimate) { attempt { try device.noteClock(offset: clock.offset) } }

    func heard() { attempt { try device.noteHeard() } }

    func logChanged() {}

    func presenceChanged(_ presence: [Presence]) {}

    func notice(_ notice: SyncNotice) { outcome.notices.append(notice) }

    func ended(_ end: SyncEnd) {
        driver = nil
        report(result ?? .failure(.ended(end)))
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { finish(.failure(ErrandFailure(error))) }
    }
}
