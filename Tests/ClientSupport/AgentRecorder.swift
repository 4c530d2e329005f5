package import FocusAgent
package import FocusContact
package import FocusCore
package import FocusDevice
package import FocusLink

/// Records what an agent reports.
package final class AgentRecorder: AgentObserver {
    package private(set) var notices: [SyncNotice] = []
    package private(set) var obstacles: [ServerObstacle] = []
    /// The ends of connections that were written to the agent's log.
    package private(set) var offline: [SyncEnd] = []
    /// The number of changes of the connection's state.
    package private(set) var linkChanges = 0
    /// The number of times that the agent has ended.
    package private(set) var ends = 0

    package init() {}

    /// The agent's own actions after suspensions.
    package var deeds: [SuspensionHandling.Deed] {
        notices.compactMap { if case .woke(let deed) = $0 { deed } else { nil } }
    }

    package func log(_ event: AgentEvent) { if case .offline(let end) = event { offline.append(end) } }
    package func noticed(_ notice: SyncNotice) { notices.append(notice) }
    package func cutOff(by obstacle: ServerObstacle) { obstacles.append(obstacle) }
    package func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
    package func changed(_ what: AgentChange) { if what == .link { linkChanges += 1 } }
    package func ended() { ends += 1 }
}
