extension Interaction {
    /// The actions that carry the interaction out on a log whose replay is `state`: what the device authors.
    ///
    /// Throws `NotNow` where it can't be done, and what the log throws.
    package func actions<Log: ReplayLog>(
        on state: ReplayState, in log: borrowing Log, _ context: PressContext
    ) throws -> [Action] {
        guard context.ago >= 0 else { throw NotNow.futureInstant }
        let timer = TimerState(state, at: context.now)
        try check(context.seen, timer)
        switch self {
        case .start(let label):
            return [try start(label, timer, state, context)]
        case .pause:
            guard let run = timer.run else {
                return [.pause(try runOpenThen(state, context, isRunning: true), at: context.at)]
            }
            guard case .running = timer.status else { throw NotNow.alreadyPaused }
            return [.pause(run.id, at: context.at)]
        case .resume:
            guard let run = timer.run else { throw NotNow.nothingRuns }
            guard case .paused = timer.status else { throw NotNow.alreadyRunning }
            return [.resume(run.id, at: context.at)]
        case .toggle:
            return try timer.mainInteraction.actions(on: state, in: log, context)
        case .stop:
            return [.stop(try timer.run?.id ?? runOpenThen(state, context), at: context.at)]
        case .skip:
            guard let run = timer.run else { throw NotNow.nothingRuns }
            return [.skip(run.id, ordinal: try ordinal(run, state, context), at: context.at)]
        case .addTime(let seconds):
            guard let run = timer.run else { throw NotNow.nothingRuns }
            guard seconds != 0, (-86400...86400).contains(seconds) else { throw NotNow.timeOutOfRange }
            return [
                .adjust(
                    run.id, ordinal: try ordinal(run, state, context), seconds: seconds, at: context.at)
            ]
        case .label(let text):
            guard let run = timer.run else { throw NotNow.nothingRuns }
            return [.label(run.id, text: text, at: context.at)]
        case .set(let key, let value):
            guard key.range.contains(value) else { throw NotNow.settingOutOfRange(key) }
            return state.settings[key] == value ? [] : [.set(key: key.rawValue, value: value)]
        case .undo:
            guard !state.isBeginning, let change = try log.lastPress(state) else {
                throw NotNow.nothingToUndo
            }
            return [.undo(change.id)]
        case .redo:
            guard let undo = try log.lastUndo(state), let event = try log.event(undo.id) else {
                throw NotNow.nothingToRedo
            }
            return [.undo(undo.id)] + (try log.keptTogether(with: event)).map { .undo($0.id) }
        case .nameDevice(let name):
            return [.device(name: name, key: context.deviceKey, publicKey: context.publicKey)]
        case .add(let phase):
            guard phase.interval.to <= context.now else { throw NotNow.futureEnd }
            return [.record(phase.record(source: Action.Record.source(byHandAs: context.next)))]
        case .relabel(let name, let text):
            return [.amend(Action.Amend(run: name.run, ordinal: name.ordinal, label: text))]
        case .retime(let name, let interval, let shift):
            guard interval.to <= context.now else { throw NotNow.futureEnd }
            return [
                .retime(
                    Action.Retime(
                        run: name.run, ordinal: name.ordinal, startedAt: interval.from, endedAt: interval.to,
                        shift: shift))
            ]
        case .split(let name, let instant, let label):
            return [
                .split(
                    Action.Split(run: name.run, ordinal: name.ordinal, instant: instant, label: label))
            ]
        case .remove(let name):
            return [.amend(Action.Amend(run: name.run, ordinal: name.ordinal, removed: true))]
        }
    }

    private func start(
        _ label: String?, _ timer: TimerState, _ state: ReplayState, _ context: PressContext
    ) throws(NotNow) -> Action {
        switch timer.status {
        case .running: throw .alreadyRunning
        case .paused(let run, _):
            // A phase that waits for its first start shows Start too.
            guard !run.hasBeenRunning, label == nil else { throw .isPaused }
            return .resume(run.id, at: context.at)
        case .stopped:
            // A start reaches back one work length at most: no phase can be over before it was begun.
            let earliest = context.now - state.settings.length(of: .work)
            return .start(
                Action.Start(
                    label: label, after: state.lastRun, offline: context.offline,
                    at: context.at.map { max($0, earliest) }))
        }
    }

    /// The phase that a press is on: the one that is shown, or where the press takes effect a while ago, the one
    /// that was in progress then.
    private func ordinal(
        _ shown: TimerState.Run, _ state: ReplayState, _ context: PressContext
    ) throws(NotNow) -> Int64 {
        guard let at = context.at, var run = state.current else { return shown.ordinal }
        var ended = EndedPhases()
        guard case .open = run.advance(to: max(at, run.anchor), state.settings, &ended) else {
            throw .nothingRuns
        }
        return run.phase.ordinal
    }

    /// The run that a press of a while ago is on, where it has closed by itself since: one that was left alone for so long
    /// that it ended, when its person had gone long before.
    private func runOpenThen(
        _ state: ReplayState, _ context: PressContext, isRunning: Bool = false
    ) throws(NotNow) -> RunID {
        guard let at = context.at, var run = state.current else { throw .nothingRuns }
        var ended = EndedPhases()
        guard case .open = run.advance(to: max(at, run.anchor), state.settings, &ended) else {
            throw .nothingRuns
        }
        if isRunning, run.isPaused { throw .alreadyPaused }
        return run.id
    }
}

extension TimerState {
    /// What the main button does.
    package var mainInteraction: Interaction {
        switch status {
        case .stopped: .start(label: nil)
        case .running: .pause
        case .paused: .resume
        }
    }
}
