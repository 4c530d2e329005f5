extension Interaction {
    /// Returns the actions that carry out the interaction, for the device to author on a log with the
    /// replayed state `state`. Returns a failure if the interaction isn't possible.
    ///
    /// - Throws: The errors of the log.
    package func actions<Log: ReplayLog>(
        on state: ReplayState, in log: borrowing Log, _ context: PressContext
    ) throws(Log.Failure) -> Result<[Action], InteractionError> {
        guard context.ago >= .zero else { return .failure(.futureInstant) }
        let targets = try targets(in: log, state)
        return Result { () throws(InteractionError) in try actions(takingBack: targets, on: state, context) }
    }

    /// Returns the events that an undo or a redo takes back. Finding them needs the log. The result is empty
    /// if there are none, and for other interactions.
    private func targets<Log: ReplayLog>(
        in log: borrowing Log, _ state: ReplayState
    ) throws(Log.Failure) -> [EventID] {
        switch self {
        case .undo: return try log.undoable(state).map { [$0.id] } ?? []
        case .redo:
            guard let undo = try log.lastUndo(state), let event = try log.event(undo.id) else { return [] }
            // If a device wrote the undo together with kept work, all of that is taken back too.
            return try [undo.id] + log.keptTogether(with: event).map { $0.id }
        default: return []
        }
    }

    private func actions(
        takingBack targets: [EventID], on state: ReplayState, _ context: PressContext
    ) throws(InteractionError) -> [Action] {
        let timer = TimerState(state, at: context.now)
        try check(context.seen, timer)
        switch self {
        case .start(let label, let length, let begins):
            return [try start(label, length, begins, timer, state, context)]
        case .pause:
            guard let run = timer.run else {
                return [.pause(try runOpenAtPress(state, context, isRunning: true), at: context.at)]
            }
            switch timer.status {
            case .stopped, .running: break
            case .waiting: throw .isWaiting
            case .paused: throw .alreadyPaused
            }
            return [.pause(run.id, at: context.at)]
        case .resume:
            guard let run = timer.run else { throw .nothingRuns }
            if case .running = timer.status { throw .alreadyRunning }
            return [.resume(run.id, at: context.at)]
        case .toggle:
            return try timer.mainInteraction.actions(takingBack: targets, on: state, context)
        case .stop:
            guard let run = timer.run else {
                return [.stop(try runOpenAtPress(state, context), at: context.at)]
            }
            return [.stop(run.id, at: context.at)]
        case .skip:
            guard let run = timer.run else { throw .nothingRuns }
            return [.skip(run.id, ordinal: try ordinal(run, state, context), at: context.at)]
        case .complete:
            guard let run = timer.run else { throw .nothingRuns }
            guard !run.activity.isBreak else { throw .isBreak }
            if case .waiting = timer.status { throw .isWaiting }
            let at = atInShownPhase(state, context)
            let active = TimerState(state, at: at ?? context.now).run?.active ?? .zero
            guard active >= PhaseRecord.shortestActive else { throw .nothingWorked }
            return [.complete(run.id, ordinal: run.ordinal, at: at)]
        case .rest:
            return [try rest(timer, state, context)]
        case .addTime(let length):
            guard let run = timer.run else { throw .nothingRuns }
            var seconds = length.inSeconds
            guard seconds != 0, (-86400...86400).contains(seconds) else { throw .timeOutOfRange }
            guard seconds > 0 || timer.overtime == nil || context.at != nil else { throw .noTimeLeft }
            let ordinal = try ordinal(run, state, context)
            // With less than a second left, a phase that hasn't begun would be over at once.
            if seconds < 0, ordinal == run.ordinal, !timer.hasBegun, run.length + length < .seconds(1) {
                throw .noTimeLeft
            }
            // No more is taken away than is left, so that all laptops name the true amount.
            if seconds < 0, context.at == nil {
                switch timer.status {
                case .running(_, _, let left), .paused(_, let left):
                    seconds = max(seconds, -(left + .milliseconds(999)).inSeconds)
                    guard seconds != 0 else { throw .noTimeLeft }
                case .stopped, .waiting: break
                }
            }
            return [.adjust(run.id, ordinal: ordinal, seconds: seconds, at: context.at)]
        case .label(let text):
            guard let run = timer.run else { throw .nothingRuns }
            return [.label(run.id, text: text, at: context.at)]
        case .set(let key, let value):
            guard key.range.contains(value) else { throw .settingOutOfRange(key) }
            return state.settings[key] == value ? [] : [.set(key: key.rawValue, value: value)]
        case .useProfile(let text), .saveProfile(let text), .removeProfile(let text):
            return try profileAction(text, state).map { [$0] } ?? []
        case .undo:
            guard !targets.isEmpty else { throw .nothingToUndo }
            return targets.map { .undo($0) }
        case .redo:
            guard !targets.isEmpty else { throw .nothingToRedo }
            return targets.map { .undo($0) }
        case .nameDevice(let name):
            return [.device(name: name, key: context.deviceKey?.hexadecimal, publicKey: context.publicKey)]
        case .add(let phase):
            guard phase.interval.to <= context.now else { throw .futureEnd }
            return [.record(phase.record(source: Action.Record.byHand(context.mark)))]
        case .relabel(let name, let text):
            return [.amend(Action.Amend(run: name.run, ordinal: name.ordinal, label: text))]
        case .retime(let name, let interval, let shift):
            guard interval.to <= context.now else { throw .futureEnd }
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

    /// Returns the action of an interaction with a profile, or nil if it would change nothing.
    private func profileAction(_ text: String, _ state: ReplayState) throws(InteractionError) -> Action? {
        guard let name = Profile.name(text) else { throw .profileName }
        let present = PhaseLengths(state.settings)
        let saved = state.profiles.named(name)
        if case .useProfile = self {
            guard let profile = saved ?? Profile.builtIn.named(name) else { throw .noProfile(name) }
            return profile.lengths == present ? nil : .profile(name: name, profile.lengths)
        }
        guard !Profile.isReserved(name) else { throw .reservedProfile(name) }
        if case .removeProfile = self {
            guard saved != nil else { throw .noProfile(name) }
            return .profile(name: name, nil)
        }
        guard saved != nil || state.profiles.count < Profile.mostSaved else { throw .tooManyProfiles }
        return saved?.lengths == present ? nil : .profile(name: name, present)
    }

    private func start(
        _ label: String?, _ length: Duration?, _ begins: SharedInstant?, _ timer: TimerState,
        _ state: ReplayState, _ context: PressContext
    ) throws(InteractionError) -> Action {
        let isPlain = label == nil && length == nil && begins == nil
        switch timer.status {
        case .running: throw .alreadyRunning
        case .waiting(let run, _, _):
            guard isPlain else { throw .isWaiting }
            return .resume(run.id, at: context.at)
        case .paused(let run, _):
            // A phase that waits for its first start shows Start too.
            guard !run.hasBeenRunning, isPlain else { throw .isPaused }
            return .resume(run.id, at: context.at)
        case .stopped:
            let longest = Duration.seconds(Action.Start.longest)
            if let length, length < .seconds(1) || length > longest { throw .lengthOutOfRange }
            if let begins, begins - context.now > longest { throw .tooFarAhead }
            // A start is backdated by at most the length of its first phase, which otherwise would be over.
            let earliest = context.now - (length ?? state.settings.length(of: .work))
            return .start(
                Action.Start(
                    label: label, after: state.lastRun, offline: context.offline,
                    at: context.at.map { max($0, earliest) }, length: length?.inSeconds, begins: begins))
        }
    }

    /// Returns the action that begins a break.
    private func rest(
        _ timer: TimerState, _ state: ReplayState, _ context: PressContext
    ) throws(InteractionError) -> Action {
        guard let run = timer.run else {
            return .start(
                Action.Start(
                    after: state.lastRun, offline: context.offline,
                    at: context.at.map { max($0, context.now - state.settings.length(of: .shortBreak)) },
                    rest: true))
        }
        let at = atInShownPhase(state, context)
        guard run.activity.isBreak else { return .rest(run.id, ordinal: run.ordinal, at: at) }
        guard case .paused = timer.status, !run.hasBeenRunning else { throw .alreadyBreak }
        return .resume(run.id, at: at)
    }

    /// Returns the instant at which a backdated press on the shown phase takes effect: not before the phase's
    /// beginning. Nil if the press isn't backdated.
    private func atInShownPhase(_ state: ReplayState, _ context: PressContext) -> SharedInstant? {
        guard let at = context.at else { return nil }
        var ended = EndedPhases()
        let phase = state.advanced(to: context.now, &ended)?.phase
        return phase.map { max(at, min($0.startedAt, context.now)) } ?? at
    }

    /// Returns the ordinal of the phase that a press acts on: of the shown phase, or for a backdated press of
    /// the phase that was in progress then.
    private func ordinal(
        _ shown: TimerState.Run, _ state: ReplayState, _ context: PressContext
    ) throws(InteractionError) -> Int64 {
        guard let at = context.at, var run = state.current else { return shown.ordinal }
        var ended = EndedPhases()
        guard case .open = run.advance(to: max(at, run.anchor), state.settings, &ended) else {
            throw .nothingRuns
        }
        return run.phase.ordinal
    }

    /// Returns the run that was open at the instant of a backdated press and has closed by itself since,
    /// because nobody was there. Throws if there is none, or if `isRunning` is true and the run was paused.
    private func runOpenAtPress(
        _ state: ReplayState, _ context: PressContext, isRunning: Bool = false
    ) throws(InteractionError) -> RunID {
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
    /// Whether the present phase runs or has been running.
    fileprivate var hasBegun: Bool {
        if case .running = status { true } else { run?.hasBeenRunning ?? false }
    }

    /// The interaction that the main button sends.
    package var mainInteraction: Interaction {
        switch status {
        case .stopped: .start(label: nil)
        case .running: .pause
        case .waiting, .paused: .resume
        }
    }
}
