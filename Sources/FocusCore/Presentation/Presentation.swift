/// The timer as every front end shows it to a person at an instant (docs/timer-rules.md §7). It is derived
/// from the state, and from the device's connection to its group.
package struct Presentation: Hashable, Sendable {
    /// The text of the main button, which starts, pauses or resumes.
    package enum MainButton: String, Hashable, Sendable {
        case start = "Start"
        case startNow = "Start now"
        case pause = "Pause"
        case resume = "Resume"
    }

    /// The status of the timer, in the words that every front end shows (docs/timer-rules.md §7).
    package enum StatusLabel: String, Hashable, Sendable {
        case work = "Work"
        case workStarts = "Work starts"
        case rest = "Break"
        case workPaused = "Work paused"
        case restPaused = "Break paused"
    }

    /// The status of the timer. It is `work` if the timer is stopped.
    package let statusLabel: StatusLabel
    /// The text of the main button. It is Start on a phase that waits to be started, although the press
    /// writes a `resume`.
    package let mainButton: MainButton
    /// The colour theme. It is that of work if the timer is stopped.
    package let theme: Theme
    /// The purpose of the phase, which is work if the timer is stopped.
    package let activity: Activity
    /// The time left, the time until a waiting run's phase begins, or the full length of a work phase if the
    /// timer is stopped. It is zero in overtime.
    package let remaining: Duration
    /// The length of the first phase of a waiting run, or nil if no run is waiting.
    package let plannedLength: Duration?
    /// The time for which work has been going on past its end, or nil if it isn't in overtime.
    package let overtime: Duration?
    /// The time for which the phase has been running.
    package let elapsed: Duration
    /// The time that presses added to the phase. It is negative if they took time away, and zero if the timer
    /// is stopped.
    package let added: Duration
    /// The beginning of the minute in which the phase ends or its overtime began, or in which a paused phase
    /// would end if it were resumed now. It is nil if the timer is stopped. While a run is waiting, its phase
    /// begins then.
    package let end: SharedInstant?
    /// The name of the work. It is empty if the work has no name, and if the timer is stopped.
    package let label: String
    /// One dot for each work phase up to the long break.
    package let cycles: [CycleDot]
    /// The presses that are possible now.
    package let offers: Set<Offer>
    /// Whether the time left runs, so that the presentation changes every second. While it is paused, only `end`
    /// changes, once a minute.
    package let isRunning: Bool
    /// The device's connection to its group.
    package let sharing: GroupStatus
    /// The last press, if another device of the group made it lately. While nothing runs, it changes only
    /// once a minute.
    package let press: RecentPress?

    /// Creates the presentation of a state, at the instant of that state.
    ///
    /// - Parameters:
    ///   - sharing: The device's connection to its group, which isn't part of the state.
    ///   - press: The last press, if another device of the group made it lately.
    package init(_ state: TimerState, sharing: GroupStatus = .alone, press: RecentPress? = nil) {
        let isBreak = state.run?.activity.isBreak ?? false
        theme = isBreak ? .rest : .work
        activity = state.run?.activity ?? .work
        label = state.run?.label ?? ""
        elapsed = state.run?.active ?? .zero
        added = state.run?.added ?? .zero
        plannedLength = if case .waiting(let run, _, _) = state.status { run.length } else { nil }
        overtime = state.overtime
        end = state.end?.minute
        cycles = CycleDot.dots(state)
        offers = Offer.offers(state)
        self.sharing = sharing
        self.press = press
        switch state.status {
        case .stopped:
            statusLabel = .work
            mainButton = .start
            remaining = state.settings.length(of: .work)
            isRunning = false
        case .waiting(_, _, let left):
            statusLabel = .workStarts
            mainButton = .startNow
            remaining = left
            isRunning = true
        case .running(_, _, let remaining):
            statusLabel = isBreak ? .rest : .work
            mainButton = .pause
            self.remaining = max(.zero, remaining)
            isRunning = true
        case .paused(let run, let remaining):
            if run.hasBeenRunning {
                statusLabel = isBreak ? .restPaused : .workPaused
                mainButton = .resume
            } else {
                statusLabel = isBreak ? .rest : .work
                mainButton = .start
            }
            self.remaining = max(.zero, remaining)
            isRunning = false
        }
    }

    /// Whether a run is waiting for its first phase to begin. The time left is then the time until that.
    package var isWaiting: Bool { statusLabel == .workStarts }

    /// Whether Stop is shown.
    package var showsStop: Bool { offers.contains(.stop) }

    /// The running time as a share of the running time and the time left together, in 0...1. So added time
    /// counts. It is 1 if no time is left.
    package var progress: Double {
        let over = max(.zero, elapsed)
        let whole = over + max(.zero, remaining)
        return whole > .zero ? Double(over.inMilliseconds) / Double(whole.inMilliseconds) : 1
    }
}

extension Presentation {
    /// The time left, in whole seconds rounded up: `24:13`. In overtime it is that, rounded down: `+03:12`.
    package var clock: String {
        overtime.map { "+" + Presentation.clock(.seconds($0.inSeconds)) } ?? Presentation.clock(remaining)
    }

    /// The time left in whole seconds, rounded up.
    package var secondsLeft: Int64 { Presentation.seconds(remaining) }

    /// Returns a time left in whole seconds, rounded up: as `mm:ss`, or as `h:mm:ss` from 100 minutes on.
    package static func clock(_ left: Duration) -> String {
        let seconds = seconds(left)
        let twoDigits = { (value: Int64) in value < 10 ? "0\(value)" : "\(value)" }
        let (minutes, rest) = (seconds / 60, ":" + twoDigits(seconds % 60))
        return minutes < 100
            ? twoDigits(minutes) + rest : "\(minutes / 60):" + twoDigits(minutes % 60) + rest
    }

    private static func seconds(_ left: Duration) -> Int64 {
        (max(.zero, left) + .milliseconds(999)).inSeconds
    }

    /// The time until the clock shows another second, 1…1000 ms, or nil if the time doesn't run.
    package var untilNextSecond: Duration? {
        guard isRunning else { return nil }
        let left = overtime.map { Duration.zero - $0 } ?? remaining
        let rest = left - .seconds(left.inSeconds)
        return rest > .zero ? rest : rest + .seconds(1)
    }
}

extension Presentation {
    /// The theme that decides a front end's colour. The colour is never the only sign: the status label is
    /// shown too.
    package enum Theme: String, Hashable, Sendable {
        case work
        case rest = "break"

        /// The theme's colour in sRGB, with eight bits for each component.
        package var rgb: (red: UInt8, green: UInt8, blue: UInt8) {
            switch self {
            case .work: (0xE4, 0x4F, 0x72)
            case .rest: (0x52, 0xA5, 0x7B)
            }
        }
    }
}

/// The dot of a work phase. The dots stand for the work phases up to the next long break.
package enum CycleDot: String, Hashable, Sendable {
    /// The phase is over, however it ended.
    case done
    /// The present phase, running or not.
    case present
    /// The phase hasn't begun.
    case ahead

    /// Returns a dot for each work phase up to the long break: `longBreakFrequency` dots, all ahead if the
    /// timer is stopped.
    static func dots(_ state: TimerState) -> [CycleDot] {
        let count = state.settings[.longBreakFrequency]
        guard let run = state.run else { return Array(repeating: .ahead, count: Int(count)) }
        // During a break the work before it is over too, although its cycle isn't.
        let done = run.completedCycles % count + (run.activity.isBreak ? 1 : 0)
        return (0..<count).map { number in
            if number < done { return .done }
            return number == done && !run.activity.isBreak ? .present : .ahead
        }
    }
}

/// A press that is possible now. A front end shows no other buttons, and the keys of other presses do
/// nothing.
package enum Offer: String, CaseIterable, Hashable, Sendable {
    /// Start, pause or resume, as `Presentation.mainButton` says. It is always possible.
    case main
    case stop
    case skip
    /// Ending the work phase as completed.
    case complete
    /// A break now.
    case rest = "break"
    case addTime
    case label
    case undo

    /// Returns the presses that are possible in a state.
    static func offers(_ state: TimerState) -> Set<Offer> {
        var offers: Set<Offer> = state.run == nil ? [.main] : [.main, .stop, .skip, .addTime, .label]
        // Running work can be completed within a second. No front end has to show that as a change.
        let isRunning = if case .running = state.status { true } else { false }
        if let run = state.run, run.activity == .work, isRunning || run.hasBeenRunning {
            offers.insert(.complete)
        }
        if state.run.map({ $0.activity == .work }) ?? true { offers.insert(.rest) }
        if state.canUndo { offers.insert(.undo) }
        return offers
    }
}

/// The last press in a group's log, as the other devices show it for a while (docs/full-screen.md).
package struct RecentPress: Hashable, Sendable {
    /// The content of the press's event.
    package let action: Action
    /// Whether the press is a redo. The action is then an undo.
    package let isRedo: Bool
    /// The name of the device on which the press was made.
    package let device: String
    /// The device's name as people are shown it.
    package let shownDevice: String
    /// The time at which the press was made.
    package let time: SharedInstant
    /// The instant at which the press took effect. It is earlier than `time` if the press was backdated, by a
    /// person or by the device itself.
    package let effect: SharedInstant
    /// The whole minutes since `time`.
    package private(set) var minutes: Int64

    /// The time for which a press is shown, in whole minutes.
    package static let lifetime = Duration.seconds(600)

    /// Creates the press as it is shown at `now`. Nil if it is too old for that.
    ///
    /// - Parameters:
    ///   - isRedo: Whether the event is an undo of an undo.
    ///   - device: The name of the device on which the press was made.
    ///   - shownDevice: That name as people are shown it.
    ///   - effect: The instant at which the press took effect; nil if that is its own time.
    package init?(
        _ event: Event, isRedo: Bool = false, by device: String, shownAs shownDevice: String,
        effect: SharedInstant? = nil, at now: SharedInstant
    ) {
        self.effect = effect ?? event.time
        action = event.action
        self.isRedo = isRedo
        self.device = device
        self.shownDevice = shownDevice
        time = event.time
        minutes = 0
        guard let shown = at(now) else { return nil }
        minutes = shown.minutes
    }

    /// Returns the press as it is shown at another instant. Nil if it is too old for that.
    package func at(_ now: SharedInstant) -> RecentPress? {
        guard now - time < RecentPress.lifetime else { return nil }
        var copy = self
        // The age is negative if this device's clock is behind.
        copy.minutes = max(.zero, now - time).inSeconds / 60
        return copy
    }

    /// Returns the time until `minutes` changes, or the press isn't shown any more: at most a minute.
    package func untilNextMinute(at now: SharedInstant) -> Duration {
        (SharedInstant.zero + (now - time)).untilNextMinute
    }
}

extension ReplayState {
    /// Returns the instant at which a press took effect, if it is the last one.
    package func effect(of press: Event) -> SharedInstant {
        guard press.action.at != nil, let run = press.runChanged else { return press.time }
        return min(press.time, openRun(run)?.anchor ?? latestEffect)
    }
}

/// The device's relation to the group that shares its log.
package enum GroupStatus: Hashable, Sendable {
    /// The device is in no group.
    case alone
    case group(GroupConnectionStatus)

    /// The state of the connection to the group's server.
    package enum Connection: String, CaseIterable, Hashable, Sendable {
        case online, connecting, offline
    }
}

/// The part of a device's group that a person is shown.
package struct GroupConnectionStatus: Hashable, Sendable {
    /// The state of the connection to the group's server.
    package let connection: GroupStatus.Connection
    /// The number of the device's events that the server isn't known to have.
    package let pending: UInt64
    /// The names of the other connected devices, in order. They are known only while this device is
    /// connected.
    package let others: [String]
    /// The instant at which the server was last heard from. It is nil if that never happened, or if the
    /// device is connected.
    package let heard: SharedInstant?
    /// The obstacle between the device and its server, or nil if none is known.
    package let obstacle: ServerObstacle?
    /// The name of the group's laptop that runs a server that can't be reached, or nil if that isn't known.
    package let serverLaptop: String?
    /// The instant since which a connected server has left the pending events unacknowledged for longer than
    /// usual, or nil if it hasn't.
    package let waitsSince: SharedInstant?

    /// Creates the shown part of a group. By default nothing is pending, and no other device is connected.
    package init(
        _ connection: GroupStatus.Connection, pending: UInt64 = 0, others: [String] = [],
        heard: SharedInstant? = nil, obstacle: ServerObstacle? = nil, serverLaptop: String? = nil,
        waitsSince: SharedInstant? = nil
    ) {
        self.serverLaptop = serverLaptop
        self.waitsSince = waitsSince
        self.connection = connection
        self.pending = pending
        self.others = others
        self.heard = heard
        self.obstacle = obstacle
    }
}

/// An obstacle between a device and its group's server, found by the last connection attempt.
package enum ServerObstacle: String, CaseIterable, Hashable, Sendable {
    /// The server can't be reached, or the connection broke.
    case unreachable
    /// The server said that it ends, and ended the connection.
    case shutDown
    /// The server answers, but turns the device away for now.
    case turnedAway
    /// The server sends more than any group has.
    case excess
    /// The device's own log or key keeps it from connecting.
    case ownFault
    /// The machine that answers shows another key than the pinned one.
    case otherKey
    /// The server doesn't know the device: it was set up again, or restored from an older backup.
    case unknownDevice
    /// The server has shut the device out.
    case revoked
    /// The server lists the device in another group.
    case otherGroup
    /// The server speaks newer versions of the protocol than the device.
    case olderDevice
    /// The server speaks older versions of the protocol than the device.
    case olderServer

    /// Whether the obstacle stays until a person removes it.
    package var needsPerson: Bool {
        switch self {
        case .unreachable, .shutDown, .turnedAway, .excess, .ownFault: false
        case .otherKey, .unknownDevice, .revoked, .otherGroup, .olderDevice, .olderServer: true
        }
    }
}
