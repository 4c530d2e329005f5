import FocusCore
import FocusDevice

/// Decides when a work phase comes within the time before its end at which this laptop warns
/// (`LaptopSetting.warnBefore`).
///
/// A phase must first be seen further from its end than that. So there is no warning about a phase that was
/// already within that time when it began to run, or when the agent started.
struct PhaseWarning {
    /// A phase that isn't yet within the time before its end, and that time as it was set then.
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
            // Time that was taken away may have made the whole phase too short for a warning.
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
