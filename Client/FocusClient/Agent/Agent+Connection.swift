import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
import FocusSync

// The connection to the group's server.
extension Agent {
    /// Looks what the device belongs to, and sees to it that it is connected there.
    func reconsider() {
        guard !isStopping else { return }
        attempt {
            let present = try Membership(device)
            guard present != membership else { return }
            membership = present
            problem = nil
            driver?.leave()
            retry?.cancel()
            backoff.reset()
            // Where there is a connection, the next begins as it ends.
            if driver == nil { connect() }
        }
    }

    private func connect() {
        guard let membership, !isStopping else { return note(ServerLink(.offline)) }
        note(ServerLink(.connecting))
        do {
            guard let log = try GroupLog(device.store) else { return }
            let driver = try SyncDriver(
                .sync(log), server: membership.server, context: try Credentials(device).context,
                store: device.store, clock: try device.clock().estimate, on: loop, observer: self)
            self.driver = driver
            driver.start()
        } catch {
            ended(.failed("\(error)"))
        }
    }

    /// The machine was asleep: the connection is likely dead, and the network is there again.
    func woke() {
        say("woke")
        backoff.reset()
        guard driver == nil else {
            driver?.leave()
            return
        }
        retry?.cancel()
        connect()
    }

    /// Takes note of how the connection stands, for whoever shows it.
    func note(_ link: ServerLink) {
        self.link = link
        notedAt = SystemClock.sinceBoot()
        attempt { try device.note(link) }
        tellFollowers()
    }

    private func tryAgainLater() {
        var generator = SystemRandomNumberGenerator()
        let wait = backoff.next(using: &generator)
        retry = loop.schedule(after: .milliseconds(Int64(wait))) { [weak self] in self?.connect() }
    }
}

extension Agent: SyncObserver {
    func enrolled(_ enrolled: Enrolled) throws -> GroupLog {
        throw CommandFailure("The server let this laptop in though it had not asked.")
    }

    func connected(_ presence: [Presence]) {
        problem = nil
        backoff.reset()
        say("connected")
        note(ServerLink(.online, online: presence.filter(\.isConnected).map { $0.device.hexadecimal }))
    }

    func logChanged() { tellFollowers() }

    func settled(_ traffic: SyncTraffic) {}

    func clockLearnt(_ clock: ClockEstimate) {
        attempt { try device.noteClock(offset: clock.offset) }
    }

    func heard() {
        let now = SystemClock.sinceBoot()
        // Often enough for the 60 seconds after which a session begins offline.
        guard now - heardAt > 5_000 else { return }
        heardAt = now
        attempt { try device.noteHeard() }
    }

    func presenceChanged(_ presence: [Presence]) {
        var online = Set(link.online)
        for device in presence {
            if device.isConnected {
                online.insert(device.device.hexadecimal)
            } else {
                online.remove(device.device.hexadecimal)
            }
        }
        note(ServerLink(.online, online: online.sorted()))
    }

    func notice(_ notice: SyncNotice) { keep(notice.description) }

    func answered(_ subject: Digest, _ refusal: Refusal?) {}

    func ended(_ end: SyncEnd) {
        driver = nil
        if isStopping { return self.end() }
        if case .closed(.finished) = end {
            problem = nil
        } else {
            problem = end.explanation
            say("offline: \(end.explanation)")
        }
        note(ServerLink(.offline))
        guard membership != nil else { return }
        if case .closed(.finished) = end { return connect() }
        tryAgainLater()
    }
}
