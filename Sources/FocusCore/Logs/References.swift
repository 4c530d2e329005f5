extension Action {
    /// The action with everything it names named anew: the runs by `run`, the event that an undo names by
    /// `event`. For events that move to another replica (docs/protocol.md, "Parted branches").
    package func mapping(run map: (RunID) -> RunID, event mapEvent: (EventID) -> EventID) -> Action {
        switch self {
        case .start(var start):
            start.after = start.after.map(map)
            return .start(start)
        case .pause(let run, let at): return .pause(map(run), at: at)
        case .resume(let run, let at): return .resume(map(run), at: at)
        case .stop(let run, let at): return .stop(map(run), at: at)
        case .skip(let run, let ordinal, let at): return .skip(map(run), ordinal: ordinal, at: at)
        case .adjust(let run, let ordinal, let seconds, let at):
            return .adjust(map(run), ordinal: ordinal, seconds: seconds, at: at)
        case .label(let run, let text, let at): return .label(map(run), text: text, at: at)
        case .adopt(let run): return .adopt(map(run))
        case .amend(var amend):
            amend.run = map(amend.run)
            return .amend(amend)
        case .retime(var retime):
            retime.run = map(retime.run)
            return .retime(retime)
        case .split(var split):
            split.run = map(split.run)
            return .split(split)
        case .undo(let target): return .undo(mapEvent(target))
        case .set, .device, .record, .revoke, .readmit, .unknown: return self
        }
    }

    /// The action with the instant that it says it takes effect at, where it says one, as `map` gives it.
    package func mapping(at map: (SharedInstant) -> SharedInstant) -> Action {
        switch self {
        case .start(var start):
            start.at = start.at.map(map)
            return .start(start)
        case .pause(let run, let at): return .pause(run, at: at.map(map))
        case .resume(let run, let at): return .resume(run, at: at.map(map))
        case .stop(let run, let at): return .stop(run, at: at.map(map))
        case .skip(let run, let ordinal, let at): return .skip(run, ordinal: ordinal, at: at.map(map))
        case .adjust(let run, let ordinal, let seconds, let at):
            return .adjust(run, ordinal: ordinal, seconds: seconds, at: at.map(map))
        case .label(let run, let text, let at): return .label(run, text: text, at: at.map(map))
        case .adopt, .set, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit, .unknown:
            return self
        }
    }

    /// The action with the fact that it records, where it is a `record`, as `map` gives it.
    package func mapping(record map: (Record) -> Record) -> Action {
        if case .record(let record) = self { .record(map(record)) } else { self }
    }

    /// The action with the times that it gives, where it is a `retime`, as `map` gives it.
    package func mapping(retime map: (Retime) -> Retime) -> Action {
        if case .retime(let retime) = self { .retime(map(retime)) } else { self }
    }

    /// The run that the action names: the one it acts on, a start's `after`, or the one whose history it amends.
    package var namedRun: RunID? {
        switch self {
        case .start(let start): start.after
        case .amend(let amend): amend.run
        case .retime(let retime): retime.run
        case .split(let split): split.run
        default: run
        }
    }
}
