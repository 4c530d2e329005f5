import FocusCore
import FocusDevice

/// Decides when to warn that a work phase ends soon: when the time left reaches the lead
/// (`LaptopSetting.warnBefore`).
///
/// The phase must first be seen with more time left. So there is no warning about a phase with less time left
/// when it began to run, or when the agent started.
struct PhaseWarning {
    /// A phase with more time left than the lead, and that lead.
    private struct Distant: Hashable {
        let run: RunID
        let ordinal: Int64
        let lead: Duration
    }

    /// The phase to warn about; nil if there is none.
    private var distant: Distant?
    /// The end that was last warned about. If clocks are corrected, the same warning isn't repeated.
    private var warnedEnd: SharedInstant?
    /// The instant at which the warning is due; nil if none is to come, or if the phase is paused.
    private(set) var next: SharedInstant?

    /// Returns whether the warning is due now.
    ///
    /// - Parameters:
    ///   - timer: The timer as it is shown now.
    ///   - setting: The present value of `LaptopSetting.warnBefore`.
    mutating func update(_ timer: TimerState, setting: LaptopSetting.Value) -> Bool {
        let former = distant
        distant = nil
        next = nil
        guard case .length(let lead) = setting else { return false }
        switch timer.status {
        case .running(let run, let endsAt, let left) where run.activity == .work:
            let phase = Distant(run: run.id, ordinal: run.ordinal, lead: lead)
            if left > lead {
                distant = phase
                if endsAt != warnedEnd { next = endsAt - lead }
                return false
            }
            // There is no warning if the whole phase, perhaps shortened since, isn't longer than the lead.
            guard left > .zero, phase == former, endsAt != warnedEnd, run.active + left > lead else {
                return false
            }
            warnedEnd = endsAt
            return true
        case .paused(let run, let left) where run.activity == .work && left > lead:
            distant = Distant(run: run.id, ordinal: run.ordinal, lead: lead)
            return false
        case .waiting, .running, .paused, .stopped: return false
        }
    }
}
