package import DBusKit
import FocusCore
package import FocusDevice
import SystemKit

/// Learns from the desktop's message buses whether somebody is at the laptop, and reports each change.
///
/// Without a bus, or without anything on it that tells, it reports nothing. It belongs to one thread.
package final class DesktopActivity {
    /// The origins that tell something now, in their order.
    package var origins: [ActivityOrigin] { ActivityOrigin.allCases.filter(known.contains) }

    private let session: any MessageBus
    private let system: any MessageBus
    private let time: any Scheduler
    private let clocks: MachineClocks
    /// The id of the login session, if the environment has it.
    private let sessionID: String?
    private let untilNeeded: (_ isAway: Bool) -> Duration?
    private let report: (UserActivity) -> Void
    private var signs = AbsenceSigns()
    private var known: Set<ActivityOrigin> = []
    /// The beginning of the absence that was reported last; nil if somebody's presence was.
    private var reported: SteadyInstant?
    private var hasReported = false
    private var subscriptions: [BusSubscription] = []
    /// The subscription to the login session.
    private var loginSession: (path: String, subscription: BusSubscription)?
    /// Mutter's numbers of the watch for idleness, and of the watch for the return.
    private var watches: (idle: Int64?, active: Int64?)
    /// Whether the screen saver may know how long nobody was there.
    private var canPoll = false
    private var poll: (any Alarm)?
    /// Whether `poll` is due within `lull`, so that a change needs no other alarm.
    private var isPollNear = false
    /// The next attempt to find the login session.
    private var search: (any Alarm)?
    /// The next reading of the login session: when it is idle for long enough, or after one without an answer.
    private var sessionReading: (any Alarm)?
    /// The next attempt to watch Mutter.
    private var mutterAttempt: (any Alarm)?

    /// The longest time for an answer.
    private static let patience = Duration.seconds(5)
    /// The interval between two questions to a screen saver that doesn't tell by itself how long nobody was
    /// there, and the shorter one while nobody is.
    private static let polling = (normal: Duration.seconds(60), absent: Duration.seconds(5))
    /// The wait after a change. Changes in quick succession cause one question.
    private static let lull = Duration.seconds(1)
    /// The waits before a service is asked again, each twice the one before. A service that has just started may be
    /// slow, or may not have the login session yet. Over SSH there is none at all.
    private static let attempts = (first: Duration.seconds(1), longest: Duration.seconds(64))
    /// A smaller difference between two beginnings of an absence is no news.
    private static let tolerance = Duration.seconds(1)
    /// A beginning before this time is a mistake of its origin's clock.
    private static let longestAbsence = Duration.seconds(7 * 86_400)

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - session: The bus of the desktop's session.
    ///   - system: The bus of the machine.
    ///   - sessionID: The id of the login session, if the environment has it.
    ///   - untilNeeded: Returns the time until it is of use to ask a screen saver, and nil if it isn't by
    ///     itself (`Device.untilAbsenceMatters`).
    ///   - report: Receives each change, and the first state that is known.
    package init(
        session: any MessageBus, system: any MessageBus, time: any Scheduler, clocks: MachineClocks,
        sessionID: String?, untilNeeded: @escaping (_ isAway: Bool) -> Duration?,
        report: @escaping (UserActivity) -> Void
    ) {
        self.session = session
        self.system = system
        self.time = time
        self.clocks = clocks
        self.sessionID = sessionID
        self.untilNeeded = untilNeeded
        self.report = report
        followLogind()
        followMutter()
        followScreenSaver()
    }

    /// Stops listening.
    package func close() {
        for subscription in subscriptions { subscription.cancel() }
        loginSession?.subscription.cancel()
        for alarm in [poll, search, sessionReading, mutterAttempt] { alarm?.cancel() }
        (subscriptions, loginSession, canPoll) = ([], nil, false)
    }

    /// Notes what an origin tells, and reports a change.
    private func learn(_ origin: ActivityOrigin, _ change: (inout AbsenceSigns) -> Void) {
        // The signs of an origin that was gone meanwhile are out of date.
        if known.insert(origin).inserted { signs.forget(origin) }
        change(&signs)
        if !signs.contains(.locked(origin)), !signs.contains(.idle(origin)) {
            // Somebody is there, so the signs of origins that are gone are out of date too.
            for gone in ActivityOrigin.allCases where !known.contains(gone) { signs.forget(gone) }
        }
        reportChange()
    }

    /// Notes that an origin is gone. Its signs stay, because nothing has told that somebody is there.
    private func lose(_ origin: ActivityOrigin) { known.remove(origin) }

    private func reportChange() {
        let since = signs.absentSince
        switch (reported, since) {
        // Two origins, or two answers, differ a little.
        case (let former?, let since?) where former - since < DesktopActivity.tolerance: return
        case (nil, nil) where hasReported: return
        default: break
        }
        (reported, hasReported) = (since, true)
        if let since {
            report(.absent(for: max(.zero, clocks.sinceBoot() - since)))
        } else {
            report(.present)
        }
    }

    /// Returns the instant that lies `ago` back.
    private func instant(_ ago: Duration) -> SteadyInstant { clocks.sinceBoot() - ago }

    // MARK: - logind

    private static let logind = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let loginInterface = "org.freedesktop.login1.Session"

    private func followLogind() {
        let name = DesktopActivity.logind
        for member in ["SessionNew", "SessionRemoved"] {
            let match = BusMatch(from: name, DesktopActivity.manager, member)
            subscriptions.append(system.subscribe(match) { [weak self] _ in self?.findSession() })
        }
        subscriptions.append(
            system.followOwner(of: name) { [weak self] owner in
                self?.search?.cancel()
                self?.loseSession()
                if owner != nil { self?.findSession() }
            })
    }

    private func loseSession() {
        loginSession?.subscription.cancel()
        sessionReading?.cancel()
        loginSession = nil
        lose(.logind)
    }

    /// Finds this user's session at a seat. There is none over SSH.
    ///
    /// - Parameter wait: The wait before the next attempt, if this one fails.
    private func findSession(retryingAfter wait: Duration = DesktopActivity.attempts.first) {
        search?.cancel()
        let call = BusCall(
            to: DesktopActivity.logind, at: "/org/freedesktop/login1", DesktopActivity.manager, "ListSessions"
        )
        system.call(call, within: DesktopActivity.patience) { [weak self] answer in
            guard let self else { return }
            guard case .success(let values) = answer else { return findSessionLater(wait) }
            let sessions = (values.first?.elements ?? []).compactMap { LoginSession($0) }
                .filter { $0.user == Int64(geteuid()) && !$0.seat.isEmpty }
            let own = sessions.first { $0.id == self.sessionID } ?? sessions.first
            guard let own else {
                loseSession()
                return findSessionLater(wait)
            }
            if loginSession?.path != own.path { follow(own.path, wait) }
        }
    }

    private func findSessionLater(_ wait: Duration) {
        guard wait <= DesktopActivity.attempts.longest else { return }
        search?.cancel()
        search = time.schedule(after: wait) { [weak self] in self?.findSession(retryingAfter: wait * 2) }
    }

    private func follow(_ path: String, _ wait: Duration) {
        loseSession()
        let match = BusMatch(
            from: DesktopActivity.logind, path: path, BusNames.properties, "PropertiesChanged",
            argument: DesktopActivity.loginInterface)
        let subscription = system.subscribe(match) { [weak self] _ in self?.readSession(path) }
        loginSession = (path, subscription)
        readSession(path) { [weak self] in
            self?.loseSession()
            self?.findSessionLater(wait)
        }
    }

    /// Reads the login session's signs.
    ///
    /// - Parameter failed: Called without an answer. By default the session is read again after `wait`.
    private func readSession(
        _ path: String, retryingAfter wait: Duration = DesktopActivity.attempts.first,
        orElse failed: (() -> Void)? = nil
    ) {
        let call = BusCall(
            to: DesktopActivity.logind, at: path, BusNames.properties, "GetAll",
            [.string(DesktopActivity.loginInterface)])
        system.call(call, within: DesktopActivity.patience) { [weak self] answer in
            guard let self, loginSession?.path == path else { return }
            guard case .success(let values) = answer, let properties = values.first?.entries else {
                if let failed { failed() } else { readSessionLater(path, wait) }
                return
            }
            let isLocked = properties["LockedHint"]?.isTrue == true
            let isIdle = properties["IdleHint"]?.isTrue == true
            let hint = properties["IdleSinceHint"]?.integer ?? 0  // microseconds
            let length = idleTime(since: SharedInstant(milliseconds: hint / 1000))
            let isAway = isIdle && length >= AbsenceSigns.idleLimit
            learn(.logind) {
                $0.set(.locked(.logind), since: isLocked ? self.instant(.zero) : nil)
                $0.set(.idle(.logind), since: isAway ? self.instant(length) : nil)
            }
            // The desktop may call the session idle much earlier.
            sessionReading?.cancel()
            guard isIdle, !isAway else { return }
            sessionReading = time.schedule(after: AbsenceSigns.idleLimit - length) { [weak self] in
                self?.readSession(path)
            }
        }
    }

    private func readSessionLater(_ path: String, _ wait: Duration) {
        guard wait <= DesktopActivity.attempts.longest else { return }
        sessionReading?.cancel()
        sessionReading = time.schedule(after: wait) { [weak self] in
            self?.readSession(path, retryingAfter: wait * 2)
        }
    }

    /// Returns the time since an instant of the wall clock; zero if that isn't recent.
    private func idleTime(since instant: SharedInstant) -> Duration {
        let length = clocks.wall() - instant
        return instant > .zero && length >= .zero && length < DesktopActivity.longestAbsence ? length : .zero
    }

    // MARK: - Mutter

    private static let mutter = "org.gnome.Mutter.IdleMonitor"

    private func followMutter() {
        let match = BusMatch(from: DesktopActivity.mutter, DesktopActivity.mutter, "WatchFired")
        subscriptions.append(
            session.subscribe(match) { [weak self] signal in
                self?.watchFired(signal.arguments.first?.integer)
            })
        subscriptions.append(
            session.followOwner(of: DesktopActivity.mutter) { [weak self] owner in
                guard let self else { return }
                watches = (nil, nil)
                mutterAttempt?.cancel()
                if owner == nil { lose(.mutter) } else { watchMutter() }
            })
    }

    /// Asks Mutter to tell of idleness, and whether somebody is there now.
    ///
    /// - Parameter wait: The wait before the next attempt, if an answer is missing.
    private func watchMutter(retryingAfter wait: Duration = DesktopActivity.attempts.first) {
        if watches.idle == nil {
            let limit = UInt64(clamping: AbsenceSigns.idleLimit.inMilliseconds)
            askMutter("AddIdleWatch", [.uint64(limit)], retryingAfter: wait) { $0.watches.idle = $1 }
        }
        // Somebody may have left before the agent started, or before this attempt.
        askMutter("GetIdletime", retryingAfter: wait) { activity, milliseconds in
            let length = Duration.milliseconds(max(0, milliseconds))
            guard length >= AbsenceSigns.idleLimit else { return activity.returned() }
            activity.becameIdle(for: length, retryingAfter: wait)
        }
    }

    private func watchMutterLater(_ wait: Duration) {
        guard wait <= DesktopActivity.attempts.longest else { return }
        mutterAttempt?.cancel()
        mutterAttempt = time.schedule(after: wait) { [weak self] in
            self?.watchMutter(retryingAfter: wait * 2)
        }
    }

    private func askMutter(
        _ member: String, _ arguments: [BusValue] = [], retryingAfter wait: Duration,
        _ done: @escaping (DesktopActivity, Int64) -> Void
    ) {
        let name = DesktopActivity.mutter
        let call = BusCall(to: name, at: "/org/gnome/Mutter/IdleMonitor/Core", name, member, arguments)
        session.call(call, within: DesktopActivity.patience) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .success(let values): if let number = values.first?.integer { done(self, number) }
            case .failure(let error): if !error.isLasting { watchMutterLater(wait) }
            }
        }
    }

    private func watchFired(_ watch: Int64?) {
        guard let watch else { return }
        if watch == watches.idle {
            becameIdle(for: AbsenceSigns.idleLimit, retryingAfter: DesktopActivity.attempts.first)
        } else if watch == watches.active {
            watches.active = nil
            returned()
        }
    }

    private func returned() { learn(.mutter) { $0.set(.idle(.mutter), since: nil) } }

    private func becameIdle(for length: Duration, retryingAfter wait: Duration) {
        let beginning = instant(length)
        // If there is no watch for the return, nobody would end the sign.
        askMutter("AddUserActiveWatch", retryingAfter: wait) { activity, watch in
            activity.watches.active = watch
            activity.learn(.mutter) { $0.set(.idle(.mutter), since: beginning) }
        }
    }

    // MARK: - The screen saver

    private static let screenSaver = "org.freedesktop.ScreenSaver"

    private func followScreenSaver() {
        let match = BusMatch(from: DesktopActivity.screenSaver, DesktopActivity.screenSaver, "ActiveChanged")
        subscriptions.append(
            session.subscribe(match) { [weak self] signal in
                if let isActive = signal.arguments.first?.isTrue { self?.screenSaver(isActive) }
            })
        subscriptions.append(
            session.followOwner(of: DesktopActivity.screenSaver) { [weak self] owner in
                guard let self else { return }
                canPoll = owner != nil
                guard canPoll else { return lose(.screenSaver) }
                askScreenSaver("GetActive") { activity, answer in
                    guard case .success(let value) = answer, let isActive = value?.isTrue else { return }
                    activity.screenSaver(isActive)
                }
                pollLater(.zero)
            })
    }

    /// Asks a screen saver that knows how long nobody was there, if that is of use now. To be called when the
    /// timer or the setting `idle` may have changed.
    package func refresh() {
        // Steady changes would postpone the question forever.
        if !isPollNear { pollLater(DesktopActivity.lull) }
    }

    private func screenSaver(_ isActive: Bool) {
        learn(.screenSaver) { $0.set(.locked(.screenSaver), since: isActive ? self.instant(.zero) : nil) }
    }

    private func askScreenSaver(
        _ member: String, _ done: @escaping (DesktopActivity, Result<BusValue?, BusError>) -> Void
    ) {
        let call = BusCall(
            to: DesktopActivity.screenSaver, at: "/org/freedesktop/ScreenSaver", DesktopActivity.screenSaver,
            member)
        session.call(call, within: DesktopActivity.patience) { [weak self] answer in
            if let self { done(self, answer.map { $0.first }) }
        }
    }

    /// Asks how long nobody was there once `wait` has passed and it is of use, and again later.
    private func pollLater(_ wait: Duration) {
        poll?.cancel()
        isPollNear = false
        guard canPoll, let needed = untilNeeded(signs.contains(.idle(.screenSaver))) else { return }
        let wait = max(wait, needed)
        guard wait > .zero else { return askIdleTime() }
        isPollNear = wait <= DesktopActivity.lull
        poll = time.schedule(after: wait) { [weak self] in self?.pollLater(.zero) }
    }

    /// Asks how long nobody was there, and again later. Stops if the screen saver doesn't know: many don't on
    /// Wayland.
    private func askIdleTime() {
        askScreenSaver("GetSessionIdleTime") { activity, answer in
            if case .failure(let error) = answer, !error.isLasting {
                return activity.pollAgain()
            }
            guard case .success(let value) = answer, let milliseconds = value?.integer else {
                return activity.canPoll = false
            }
            let length = Duration.milliseconds(max(0, milliseconds))
            let isIdle = length >= AbsenceSigns.idleLimit && length < DesktopActivity.longestAbsence
            activity.learn(.screenSaver) {
                $0.set(.idle(.screenSaver), since: isIdle ? activity.instant(length) : nil)
            }
            activity.pollAgain()
        }
    }

    private func pollAgain() {
        let isIdle = signs.contains(.idle(.screenSaver))
        pollLater(isIdle ? DesktopActivity.polling.absent : DesktopActivity.polling.normal)
    }
}
