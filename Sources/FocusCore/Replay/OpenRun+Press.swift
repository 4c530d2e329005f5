/// What an event did to the run it names.
enum PressResult: Hashable {
    /// It couldn't act there, and changed nothing.
    case refused
    case open
    /// It ended the run.
    case closed
}

extension OpenRun {
    /// Lets an event act on the run, which was brought forward to `instant`, its effective instant.
    mutating func press(
        _ event: Event, at instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) -> PressResult {
        switch event.action {
        case .pause:
            guard pause(at: instant) else { return .refused }
        case .resume:
            guard resume(at: instant) else { return .refused }
        case .stop:
            endPhase(at: instant, .stopped, &history)
            return .closed
        case .skip(_, let ordinal, _):
            guard ordinal == phase.ordinal else { return .refused }
            skip(at: instant, settings, &history)
        case .adjust(_, let ordinal, let seconds, _):
            guard ordinal == phase.ordinal else { return .refused }
            adjust(by: seconds, at: instant)
        case .label(_, let text, _):
            label = Text.cleaned(text)
        case .start, .adopt, .set, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit,
            .unknown:
            return .refused
        }
        touched(by: event, at: instant)
        return .open
    }

    /// Takes note of an event that acted on the run.
    mutating func touched(by event: Event, at instant: SharedInstant) {
        anchor = instant
        touchedAt = event.time
        if event.id.replica != id.starter { startedOffline = false }
    }
}
