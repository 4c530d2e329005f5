import FocusCore
import Testing

@testable import FocusSync

/// Compares, after each step, the client session's summary of all replicas with the states of the single
/// replicas.
struct StandingsCheck {
    /// The replicas that were behind the welcome after the previous step; nil before the welcome.
    private var behind: Set<ReplicaID>?

    /// Checks the session after a step.
    mutating func look(at session: borrowing ClientSession) {
        guard let standings = session.standings else { return behind = nil }
        let all = standings.all
        let targets = Set(all.filter { $0.value.target > 0 }.keys)
        behind = (behind ?? targets).filter { all[$0]?.reachedWelcome == false }
        #expect(standings.behind == behind)
        let stops = all.compactMap { replica, standing in
            if case .stopped(let stop) = standing.work { (replica: replica, stop: stop) } else { nil }
        }
        #expect(standings.stops.earliest == stops.compactMap(\.stop.until).min())
        for (replica, standing) in all {
            let until: SteadyInstant? = if case .stopped(let stop) = standing.work { stop.until } else { nil }
            #expect(standings.stops[replica] == until)
        }
        #expect(standings.lacking == Set(stops.filter(\.stop.lacksEpoch).map(\.replica)))
        let vector = standings.vector
        #expect(standings.unsettled == all.count { !$0.value.isInSync(vector[$0.key].seq) })
        let unacknowledged = vector.heads.reduce(UInt64(0)) { sum, entry in
            sum &+ entry.value.seq - min(all[entry.key]?.commonSeq ?? 0, entry.value.seq)
        }
        expect(session.unacknowledged, is: unacknowledged)
    }
}
