import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusText

extension CommandFailure {
    /// The message for a press or change that was not carried out: the reason, and the alternative.
    ///
    /// - Parameter clocks: The time zone of the times in the message.
    package init(_ failure: PerformFailure, _ home: Home, by clocks: LocalZone = .current) {
        switch failure {
        case .notNow(let reason): self.init(reason.sentence, .notNow)
        case .noEffect:
            self.init(
                "It would have changed nothing then. Give a shorter time with --ago, or leave it out.",
                .notNow)
        case .tooFarBack(let backdating, let now):
            self.init(backdating.sentence("would count", now: now) ?? "", .notNow)
        case .takesCompleted: self.init(failure.takesCompletedSentence ?? "", .notNow)
        case .needsConsent(let claim):
            self.init("Undoing \(claim.sentence) Use --yes to do it anyway.", .notNow)
        case .emptyName: self.init("A name needs at least one character that shows.", .usage)
        case .duplicate(let record, let handle):
            let line = RecordLine(record, handle).textWithDay(by: clocks)
            self.init(
                "The history has an entry of these times already, and 'focus log label \(handle) TEXT' gives it "
                    + "another label: \(line)", .notNow)
        case .store(let error): self.init(error, home.database)
        }
    }
}

extension PerformFailure {
    /// The sentence about completed work that a backdated press would take away; nil for other failures.
    package var takesCompletedSentence: String? {
        guard case .takesCompleted(let phases, let ago) = self else { return nil }
        return "The session had ended by itself. As of \(AgoText.text(ago)), "
            + "\(counted(phases, "work phase")) \(phases == 1 ? "doesn't" : "don't") count as completed."
    }
}

extension InteractionError {
    /// The reason why the press fails now, and the alternative.
    fileprivate var sentence: String {
        switch self {
        case .nothingRuns: "Nothing is running. 'focus start' begins to work."
        case .alreadyRunning:
            "It is already running. 'focus label TEXT' names the work, 'focus pause' pauses it, 'focus stop' ends it."
        case .alreadyPaused: "It is already paused. 'focus resume' goes on, 'focus stop' ends it."
        case .isPaused:
            "It is paused. 'focus resume' goes on, 'focus label TEXT' names the work. To start over, end it first "
                + "with 'focus stop'."
        case .isWaiting:
            "It is waiting to begin. 'focus resume' begins it now, 'focus label TEXT' names the work, 'focus stop' takes it away."
        case .isBreak: "It's a break. 'focus skip' ends it."
        case .alreadyBreak: "It's a break already. 'focus skip' ends it, 'focus add 5m' makes it longer."
        case .nothingWorked: "Nothing was worked in this phase by then. 'focus skip' goes to the break."
        case .lengthOutOfRange: "A first phase takes between 1s and 24h."
        case .tooFarAhead: "A start can lie 24 hours ahead at most."
        case .nothingToUndo: "There is nothing to undo."
        case .nothingToRedo:
            "There is no undo to take back: something was pressed since, or nothing was undone."
        case .nothingAsked: AbsenceQuestion.nothingAsked
        case .settingOutOfRange(let key): "\(key.rawValue) is \(SettingText.range(of: key))."
        case .noProfile(let name): "\(ProfileText.none(name)) 'focus profile' lists them."
        case .profileName: ProfileText.nameRule
        case .reservedProfile(let name): ProfileText.reserved(name)
        case .tooManyProfiles: ProfileText.tooMany
        case .timeOutOfRange: "You can add or take away between 1s and 24h at once."
        case .noTimeLeft: "There isn't that much time to take away. 'focus skip' ends the phase."
        case .futureInstant: "Nothing can take effect in the future."
        case .futureEnd: "That ends in the future: the history has only what is over."
        case .changed(let shown): shown.changeSentence
        }
    }
}

extension UndoWarning {
    /// The press that would be undone and the effect on the history, to be read after "Undo" or "Undoing".
    package var sentence: String {
        let place = presser.map { " pressed on \($0)" } ?? ""
        let press = "the \(target.action.words)\(place) (\(AgoText.text(now - target.time)))"
        if (added, removed) == (0, 1), target.action.endsPhase {
            return "\(press) lets that phase go on, so it leaves the history until it ends."
        }
        let deeds = [
            added > 0 ? "adds \(added) phase\(added == 1 ? "" : "s") to the history" : nil,
            removed > 0
                ? "takes \(removed) completed phase\(removed == 1 ? "" : "s") out of the history" : nil,
        ].compactMap { $0 }
        if deeds.isEmpty, isAfterKeeping {
            return "\(press) goes further back than your answer: to keep time away writes nothing to undo."
        }
        guard !deeds.isEmpty else { return "\(press) takes back what was done there a moment ago." }
        let minutes = DurationText.text(.seconds(focusChange.magnitude.inSeconds / 60 * 60))
        let time = focusChange.magnitude < .seconds(60) ? "" : ", \(minutes) of focus time"
        return "\(press) \(deeds.joined(separator: " and "))\(time)."
    }
}

extension ShownTimer {
    /// The sentence for a press that was refused because it may have been meant for the state shown before.
    package var changeSentence: String {
        "The timer changed just now: \(words). Press again if you mean that."
    }

    private var words: String {
        switch self {
        case .stopped: "the session has ended"
        case .waiting: "work is waiting to begin"
        case .running(_, let ordinal): "\(ShownTimer.phase(ordinal)) is running"
        case .paused(_, let ordinal): "\(ShownTimer.phase(ordinal)) is paused"
        }
    }

    /// The kind of a phase by its ordinal: work and breaks alternate, and work is first.
    private static func phase(_ ordinal: Int64) -> String { ordinal.isMultiple(of: 2) ? "work" : "a break" }
}
