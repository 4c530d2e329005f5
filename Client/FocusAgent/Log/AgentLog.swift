package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusNet

/// Where the agent's log goes: whoever runs the agent has the words.
package struct AgentLog: Sendable {
    private let clocks: MachineClocks
    private let put: @Sendable (AgentLogEvent, SharedInstant) -> Void

    /// - Parameter put: writes down what happened, and when.
    package init(
        _ clocks: MachineClocks, put: @escaping @Sendable (AgentLogEvent, SharedInstant) -> Void
    ) {
        self.clocks = clocks
        self.put = put
    }

    /// Tells of something that has just happened.
    func write(_ event: AgentLogEvent) { put(event, clocks.wall()) }
}

/// What the agent says of itself in its log: never a key, a token or a label.
package enum AgentLogEvent: Sendable {
    // The process.

    /// It has begun, as this process.
    case started(process: Int32)
    /// Somebody took its lock away.
    case lockMadeAnew
    /// The same for its socket.
    case socketMadeAnew
    /// It isn't the agent of its log any more, and ends.
    case lostPlace(PlaceFailure)
    case stopping
    /// Something couldn't be done.
    case failed(any Error)

    // The connection.

    /// The machine was asleep.
    case woke
    case connected
    /// The connection is over, and not as it should be.
    case offline(SyncEnd)
    /// Having caught up, it wrote so many events by itself.
    case caughtUp(written: Int)
    /// Something happened while syncing that the person should know.
    case noticed(SyncNotice)

    // What it runs for the person.

    /// A hook isn't run, or not to its end.
    case hook(HookTrouble)
    /// There will be no notifications.
    case noNotifications(NotifierTrouble)
    /// The page is to be had at this port.
    case servesPage(port: UInt16)
    case cannotServePage(any Error)
}

/// How an agent loses its place.
package enum PlaceFailure: Error {
    /// The lock's file is another one's now, or none.
    case lockGone
    /// The log that it was started for was moved away or removed, as a person does with a damaged one.
    case logGone
    /// Nobody can reach it any more: why no socket can be made.
    case socketGone(any Error)
}

/// Why a hook's file isn't run.
package enum HookRefusal: Error, Hashable, Sendable {
    /// There is something else at this path.
    case noFile(String)
    /// Others can change what is at this path.
    case changeable(String)
    /// The file at this path isn't one to be run.
    case notExecutable(String)
}

/// What went wrong with a hook.
package enum HookTrouble: Sendable {
    /// Its file isn't one that is run.
    case refused(Happening.Kind, HookRefusal)
    /// Too many others waited.
    case crowdedOut(Happening.Kind)
    /// The program at this path couldn't be started.
    case notStarted(path: String, NetError)
    /// It ended otherwise than it should.
    case ended(path: String, ChildProcess.End)
    /// It was ended after so long.
    case tookTooLong(path: String, Duration)
}

/// Why notifications can't be shown: mostly there is no desktop.
package enum NotifierTrouble: Sendable {
    /// The program that shows them ended otherwise than it should.
    case ended(program: String, ChildProcess.End)
    /// It couldn't be started.
    case notStarted(NetError)
}
