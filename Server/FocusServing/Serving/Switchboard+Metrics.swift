import FocusCore
import FocusServerStore
import FocusWriter

extension Switchboard {
    /// How things stand now.
    ///
    /// - Parameter store: how the store's file stands.
    func state(_ store: StoreFile) -> ServerState {
        let verdict = clock.check()
        let wall = clock.wall()
        let latest = groups.values.lazy.map(\.log.latest).max()
        var state = ServerState(store: store)
        state.connections = clients.count
        state.bufferedBytes = buffers.total
        state.groups = groups.count
        state.devices = rosters.memberCount
        state.isStopping = isStopping
        state.clock = verdict
        state.clockOffset = wall - clock.greatestServed
        if let latest, latest != .zero {
            state.logAhead = latest.time - wall
        }
        state.storeProblem = metrics.storeProblem
        return state
    }
}
