import CommandLineKit
import FocusCore
import FocusStore

/// `focus status --follow`: a line at each change and, while a session runs, at each second.
///
/// It shows what the database holds; the agent tells it when to look. Without an agent it looks often.
struct Follower: ~Copyable {
    private let form: StatusForm
    private let context: CommandContext
    private let device: Device
    private var link: AgentLink?
    /// What the database looked like when there was last no agent to tell.
    private var seenChange: Int64?

    /// How often to look where no agent tells, in milliseconds.
    private static let look: Int32 = 200
    /// How long to wait at most where nothing runs, in milliseconds.
    private static let longest: Int32 = 60_000

    init(_ form: StatusForm, _ context: CommandContext) throws(CommandFailure) {
        self.form = form
        self.context = context
        device = try Device(context)
    }

    /// Prints until standard output is gone.
    mutating func run() throws(CommandFailure) {
        var shown = ""
        var isRead = true
        while isRead {
            let text = try device.using { _ throws(StoreError) in
                try DeviceStatus(device).text(form, context.console.paint)
            }
            if text != shown { try context.print("\(text)\n") }
            shown = text
            isRead = try waitForNews()
        }
    }

    /// Waits for a change, or for the next second of a session that runs; false where nobody reads any more.
    private mutating func waitForNews() throws(CommandFailure) -> Bool {
        while true {
            let wait = try untilNextSecond()
            guard link != nil || connect() else {
                guard FileDescriptor.isOutputRead(for: min(wait ?? Follower.longest, Follower.look)) else {
                    return false
                }
                if try hasChanged() || wait ?? Follower.longest <= Follower.look { return true }
                continue
            }
            switch link?.wait(milliseconds: wait ?? Follower.longest) {
            case .line: return true
            case .nothing: if wait != nil { return true }
            case .unread: return false
            case .gone, nil: link = nil
            }
        }
    }

    private mutating func connect() -> Bool {
        link = AgentLink(path: device.home.agentSocket)
        guard link?.send(.follow) == true else {
            link = nil
            return false
        }
        return true
    }

    /// Whether another process has written since this was last asked.
    private mutating func hasChanged() throws(CommandFailure) -> Bool {
        let change = try device.using { device throws(StoreError) in try device.store.changeCount() }
        defer { seenChange = change }
        return seenChange != nil && seenChange != change
    }

    /// The milliseconds until the clock shows another second; nil while nothing runs.
    private func untilNextSecond() throws(CommandFailure) -> Int32? {
        let (state, now) = try device.using { device throws(StoreError) in
            (try device.store.state(), try device.now())
        }
        guard case .running(_, _, let remaining) = TimerState(state, at: now).status else { return nil }
        let rest = Int32(truncatingIfNeeded: remaining % 1000)
        return rest == 0 ? 1000 : rest
    }
}
