/// What a person sees at an instant, for every front end (docs/timer-rules.md §7): derived from the state, and from
/// how the device stands to the others who share it.
package struct Presentation: Hashable, Sendable {
    /// The button that does the next thing.
    package enum MainButton: String, Hashable, Sendable {
        case start = "Start"
        case pause = "Pause"
        case resume = "Resume"
    }

    /// What the timer does, in the words that every front end shows (docs/timer-rules.md §7).
    package enum StatusLabel: String, Hashable, Sendable {
        case work = "Work"
        case rest = "Break"
        case workPaused = "Work paused"
        case restPaused = "Break paused"
    }

    /// What the timer does now; where stopped, `work`.
    package let statusLabel: StatusLabel
    /// What the main button says. On a phase that waits to be started it says Start, though it is a `resume` that
    /// follows.
    package let mainButton: MainButton
    /// The colour that goes with it; that of work where stopped.
    package let theme: Theme
    /// What the phase is for; where stopped, what the next one will be for.
    package let activity: Activity
    /// The time left; where stopped, the full length of a work phase.
    package let remaining: Duration
    /// How long the phase has been running.
    package let elapsed: Duration
    /// How much longer the phase is than it was to be as it began; nothing where stopped.
    package let added: Duration
    /// The name of the work; empty where it has none, and where stopped.
    package let label: String
    /// A dot for each work phase up to the long break.
    package let cycles: [CycleDot]
    /// What can be pressed now.
    package let offers: Set<Offer>
    /// Whether the time runs, so that the presentation changes from second to second.
    package let isRunning: Bool
    /// How the device stands to the others.
    package let sharing: Sharing

    /// What is shown of a state, at the instant that the state is for.
    ///
    /// - Parameter sharing: How the device stands to the others, of which the state says nothing.
    package init(_ state: TimerState, sharing: Sharing = .alone) {
        let isBreak = state.run?.activity.isBreak ?? false
        theme = isBreak ? .rest : .work
        activity = state.run?.activity ?? .work
        label = state.run?.label ?? ""
        elapsed = state.run?.active ?? .zero
        added = state.run?.added ?? .zero
        cycles = CycleDot.dots(state)
        offers = Offer.offers(state)
        self.sharing = sharing
        switch state.status {
        case .stopped:
            statusLabel = .work
            mainButton = .start
            remaining = state.settings.length(of: .work)
            isRunning = false
        case .running(_, _, let remaining):
            statusLabel = isBreak ? .rest : .work
            mainButton = .pause
            self.remaining = remaining
            isRunning = true
        case .paused(let run, let remaining):
            if run.hasBeenRunning {
                statusLabel = isBreak ? .restPaused : .workPaused
                mainButton = .resume
            } else {
                statusLabel = isBreak ? .rest : .work
                mainButton = .start
            }
            self.remaining = remaining
            isRunning = false
        }
    }

    /// Whether Stop is shown.
    package var stopShown: Bool { offers.contains(.stop) }

    /// How much of the phase is over, in 0...1: of the time that it has run and has left, so that time added to it
    /// counts.
    package var progress: Double {
        let over = max(.zero, elapsed)
        let whole = over + max(.zero, remaining)
        return whole > .zero ? Double(over.inMilliseconds) / Double(whole.inMilliseconds) : 1
    }
}

extension Presentation {
    /// The time left as `mm:ss`, in whole seconds rounded up, both parts of at least two digits.
    package var clock: String { Presentation.clock(remaining) }

    /// The time left in whole seconds, rounded up.
    package var secondsLeft: Int64 { Presentation.seconds(remaining) }

    /// A time left as `mm:ss`, in whole seconds rounded up, both parts of at least two digits.
    package static func clock(_ left: Duration) -> String {
        let seconds = seconds(left)
        let twoDigits = { (value: Int64) in value < 10 ? "0\(value)" : "\(value)" }
        return twoDigits(seconds / 60) + ":" + twoDigits(seconds % 60)
    }

    private static func seconds(_ left: Duration) -> Int64 {
        (max(.zero, left) + .milliseconds(999)).inSeconds
    }

    /// How long until the clock shows another second, 1…1000 ms; nil where its time doesn't run.
    package var untilNextSecond: Duration? {
        guard isRunning else { return nil }
        let rest = remaining - .seconds(remaining.inSeconds)
        return rest > .zero ? rest : rest + .seconds(1)
    }
}

extension Presentation {
    /// What a front end's colour follows. Colour never stands alone: the status label is shown too.
    package enum Theme: String, Hashable, Sendable {
        case work
        case rest = "break"

        /// The theme's colour in sRGB, each part in 0...1.
        package var colour: (red: Double, green: Double, blue: Double) {
            switch self {
            case .work: (0.8941176471, 0.3098039216, 0.4470588235)
            case .rest: (0.3215686275, 0.6470588235, 0.4823529412)
            }
        }

        /// The theme's colour as eight bits a part.
        package var rgb: (red: UInt8, green: UInt8, blue: UInt8) {
            switch self {
            case .work: (0xE4, 0x4F, 0x72)
            case .rest: (0x52, 0xA5, 0x7B)
            }
        }
    }
}

/// A work phase of the round that ends with a long break, as a dot shows it.
package enum CycleDot: String, Hashable, Sendable {
    /// It is over, however it ended.
    case done
    /// The present phase, running or not.
    case present
    case ahead

    /// A dot for each work phase up to the long break, `longBreakFrequency` of them; all ahead where stopped.
    static func dots(_ state: TimerState) -> [CycleDot] {
        let count = state.settings[.longBreakFrequency]
        guard let run = state.run else { return Array(repeating: .ahead, count: Int(count)) }
        // During a break the work before it is over too, though its cycle isn't.
        let done = run.completedCycles % count + (run.activity.isBreak ? 1 : 0)
        return (0..<count).map { number in
            if number < done { return .done }
            return number == done && !run.activity.isBreak ? .present : .ahead
        }
    }
}

/// Something that can be pressed now. A front end shows no other buttons; keys for what isn't offered do nothing.
package enum Offer: String, CaseIterable, Hashable, Sendable {
    /// Start, pause or resume, as `Presentation.mainButton` says: always there.
    case main
    case stop
    case skip
    case addTime
    case label
    case undo

    static func offers(_ state: TimerState) -> Set<Offer> {
        var offers: Set<Offer> = state.run == nil ? [.main] : [.main, .stop, .skip, .addTime, .label]
        if state.canUndo { offers.insert(.undo) }
        return offers
    }
}

/// How a device stands to the others who share the session.
package enum Sharing: Hashable, Sendable {
    /// The device is in no group.
    case alone
    case group(GroupLink)

    /// The connection to the group's server.
    package enum Connection: String, CaseIterable, Hashable, Sendable {
        case online, connecting, offline
    }
}

/// What a person is shown of the group that a device is in.
package struct GroupLink: Hashable, Sendable {
    /// How the connection to the group's server stands.
    package let connection: Sharing.Connection
    /// How many of the device's events the server isn't known to have.
    package let pending: UInt64
    /// The names of the other devices that are connected, in order; only known while this one is.
    package let others: [String]
    /// When the server was last heard; nil if it never was, or the device is connected.
    package let heard: SharedInstant?
    /// What keeps the device from its server; nil if nothing is known to.
    package let obstacle: ServerObstacle?

    /// What is shown of a group; unless said otherwise, with nothing pending and nobody else there.
    package init(
        _ connection: Sharing.Connection, pending: UInt64 = 0, others: [String] = [],
        heard: SharedInstant? = nil, obstacle: ServerObstacle? = nil
    ) {
        self.connection = connection
        self.pending = pending
        self.others = others
        self.heard = heard
        self.obstacle = obstacle
    }
}

/// What keeps a device from its group's server, as its last connection found it.
package enum ServerObstacle: String, CaseIterable, Hashable, Sendable {
    /// The server can't be reached, or the connection broke.
    case unreachable
    /// The server answers, but turns the device away for now.
    case turnedAway
    /// The server says that there is more than any group has.
    case excess
    /// The device's own log or key keeps it from connecting.
    case ownFault
    /// What answers shows another key than the pinned one.
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

    /// Whether it stays until a person does something about it.
    package var needsPerson: Bool {
        switch self {
        case .unreachable, .turnedAway, .excess, .ownFault: false
        case .otherKey, .unknownDevice, .revoked, .otherGroup, .olderDevice, .olderServer: true
        }
    }
}
