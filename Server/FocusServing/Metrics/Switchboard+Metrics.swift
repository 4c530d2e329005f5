import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

extension Switchboard {
    /// How things stand now.
    ///
    /// - Parameter store: how the store's file stands.
    func state(_ store: StoreFile) -> ServerState {
        let verdict = clock.look()
        let wall = clock.wall()
        let latest = groups.values.lazy.map(\.log.latest).max()
        var state = ServerState(store: store)
        state.connections = members.count
        state.bufferedBytes = buffers.total
        state.groups = groups.count
        state.devices = rosters.memberCount
        state.isStopping = isStopping
        state.clock = verdict
        state.clockOffset = wall - clock.greatestServed
        if let latest, latest != .zero { state.logAhead = latest.milliseconds - wall }
        state.storeProblem = metrics.storeProblem
        return state
    }

    /// Sends bytes on a connection.
    func send(_ bytes: [UInt8], to member: Member) {
        metrics.bytesSent += UInt64(bytes.count)
        member.connection.send(bytes)
    }

    /// Counts what came of a batch.
    ///
    /// - Returns: when the uploads came that it answers, in microseconds on the steady clock.
    func takeNote(of outcomes: [WriterOutcome]) -> [Int64] {
        outcomes.compactMap { outcome in
            switch outcome {
            case .merged(_, _, let stop, let connection):
                if let stop { metrics.refused(stop.code) }
                return members[connection]?.uploads.popFirst()
            case .refused(_, let refusal, _): metrics.refused(refusal.code)
            case .batch(let tally): metrics.count(tally)
            default: break
            }
            return nil
        }
    }
}
