import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusText

/// A desktop notification, in words.
package struct Notification: Hashable, Sendable {
    /// The subject, in a few words.
    package let title: String
    /// The event, in a sentence or two.
    package let body: String
    /// Whether the notification stays true after later presses. If so, no notification of a press replaces
    /// it.
    package let isLasting: Bool
    /// The presses that it offers, the likeliest first.
    package private(set) var buttons: [NotificationButton] = []
    /// The timer that it is about; nil if it is about something else.
    package private(set) var timer: ShownTimer?
    /// The happenings of which it tells; empty if it is about something else.
    private var happenings: [Happening] = []
    /// The question that it asks; nil if it asks none.
    package private(set) var question: AbsenceQuestion?
    /// The commands that do the same as the buttons, for a display without buttons; empty if none are named.
    private var commands = ""
    /// Whether it may wait until the person looks, because somebody of the group just pressed.
    package private(set) var isMinor = false

    /// Returns the notifications for happenings of the same moment: none if this laptop's user pressed all of
    /// them. A warning is always shown. It follows a lasting notification as one of its own. Otherwise its
    /// text also names the press, because the notifier shows only the last of two that aren't lasting.
    ///
    /// - Parameter clocks: The time zone of the times in the text.
    package static func all(_ happenings: [Happening], by clocks: LocalZone = .current) -> [Notification] {
        let warnings = happenings.filter { $0.kind == .phaseWarning }
        let rest = Notification(happenings.filter { $0.kind != .phaseWarning }, by: clocks)
        guard let warning = Notification(warnings, by: clocks) else { return rest.map { [$0] } ?? [] }
        guard let rest, !rest.isLasting else { return [rest, warning].compactMap { $0 } }
        let message = happenings.map { $0.message }.first { !$0.isEmpty }
        let sentences = [warning.body, rest.title, message ?? ""].filter { !$0.isEmpty }
        var both = Notification(title: warning.title, body: sentences.joined(separator: ". "))
        (both.buttons, both.timer, both.happenings) = (warning.buttons, warning.timer, happenings)
        return [both]
    }

    /// The notification for the first of some happenings that this laptop's user doesn't know already. Nil if
    /// the user pressed all of them.
    ///
    /// - Parameter clocks: The time zone of the times in the text.
    package init?(_ happenings: [Happening], by clocks: LocalZone = .current) {
        guard var first = happenings.first(where: { $0.cause != .own }) else { return nil }
        // A planned start that begins now wasn't pressed just now.
        if first.kind == .start, first.message.isEmpty,
            let begun = happenings.first(where: { $0.kind == .phaseStart && $0.cause == .time })
        {
            first = begun
        }
        switch (first.kind, first.cause) {
        case (.conflict, _): self.init(title: "Lockstep", body: first.message, isLasting: true)
        case (.joined, .other(let name)): self.init(title: "\(name) has joined", body: "", isLasting: true)
        case (.left, .other(let name)):
            self.init(title: "\(name) has left the group", body: "", isLasting: true)
        case (.stop, .time):
            self.init(
                title: "The session has ended",
                body: Notification.advice(untouchedFor: first.untouched ?? .zero))
        case (.phaseWarning, _):
            let shown = Presentation(first.timer)
            let texts = [shown.label, shown.endText(by: clocks) ?? ""]
            self.init(
                title: "\(Notification.words(.seconds(shown.secondsLeft))) left",
                body: texts.filter { !$0.isEmpty }.joined(separator: ", "))
        case (.phaseStart, .time):
            let subject = first.activity.isBreak ? "The break" : "Work"
            // A planned start may arrive late.
            let began = first.timer.run?.spans.intervals.first.flatMap {
                $0.length < .seconds(60) ? nil : $0.from
            }
            let verb = began.map { "began at \(clocks.clock($0))" } ?? "begins"
            self.init(title: "\(subject) \(verb)", body: Notification.next(first.timer))
        case (.overtime, _):
            let shown = Presentation(first.timer)
            self.init(
                title: "Work is over",
                body: (shown.label.isEmpty ? "" : "\(shown.label): ")
                    + "The clock goes on, in overtime, until somebody begins the break or stops.")
        case (.phaseEnd, _):
            self.init(
                title: first.activity.isBreak ? "The break is over" : "Work is over",
                body: first.message.isEmpty ? Notification.next(first.timer) : first.message)
        case (let kind, .other(let name)):
            guard let pressTitle = Notification.pressTitle(kind, first.timer) else { return nil }
            let body = first.message.isEmpty ? Notification.next(first.timer) : first.message
            self.init(title: "\(pressTitle) by \(name)", body: body)
            isMinor = true
        default: return nil
        }
        guard !isLasting else { return }
        buttons = NotificationButton.buttons(after: first)
        timer = ShownTimer(first.timer)
        self.happenings = happenings
    }

    /// The body for a display without buttons.
    package var bodyWithoutButtons: String { commands.isEmpty ? body : "\(body) \(commands)" }

    /// Whether the notification is over, because the timer is now `present`.
    package func isOver(at present: ShownTimer) -> Bool { timer.map { $0 != present } ?? false }

    /// Whether the phase of its text has another length or name in `present`.
    package func isOutdated(at present: TimerState) -> Bool {
        guard let run = happenings.first?.timer.run, let now = present.run else { return false }
        return run.length != now.length || run.label != now.label
    }

    /// Returns the notification about the same happenings with the text for `present`.
    package func updated(to present: TimerState, by clocks: LocalZone = .current) -> Notification {
        Notification.all(happenings.map { $0.showing(present) }, by: clocks).last ?? self
    }

    /// The notification for something that happened while syncing; nil if it can wait until the person looks.
    package init?(about notice: SyncNotice) {
        let title: String
        switch notice {
        case .woke(.paused): title = "Paused"
        case .newcomers: title = "New in the group"
        case .latecomers: title = "Waiting to be accepted"
        default: return nil
        }
        self.init(title: title, body: notice.sentence, isLasting: true)
    }

    /// The notification for an obstacle between the laptop and its server that a person must remove.
    package init(about obstacle: ServerObstacle) {
        self.init(title: "Nothing is synced", body: obstacle.sentence, isLasting: true)
    }

    /// The notification that asks about an absence.
    package init(about question: AbsenceQuestion) {
        self.init(
            title: "\(question.words())?", body: question.sentence())
        commands = AbsenceQuestion.commands
        buttons = NotificationButton.answers
        self.question = question
    }

    /// The notification that a press in the tray, or of a notification's button, failed.
    package init(about failure: PerformFailure, in home: Home) {
        let reason =
            if case .needsConsent(let warning) = failure {
                "Undoing \(warning.sentence) Use the page to do it anyway."
            } else {
                CommandFailure(failure, home).message
            }
        self.init(title: "Nothing was changed", body: reason)
    }

    /// The notification for a click that should have opened the page.
    package static let noBrowser = Notification(
        title: "The page can't be opened",
        body: "No browser could be opened. Print a link to the page instead: focus web --print")

    /// The notification of `focus notify --test`. Its buttons do nothing to the timer.
    package static var trial: Notification {
        var notification = Notification(
            title: "Lockstep can notify you", body: "Press a button to try it.")
        notification.buttons = [.skip, .addTime]
        return notification
    }

    /// Makes a notification from data such as names and labels. Replaces characters that would garble the
    /// text.
    init(title: String, body: String, isLasting: Bool = false) {
        self.title = TerminalText.data(title)
        self.body = TerminalText.data(body)
        self.isLasting = isLasting
    }

    /// The advice about a session that ended because nobody touched it for `length`.
    private static func advice(untouchedFor length: Duration) -> String {
        let length = DurationText.text(.seconds(max(1, length.inSeconds / 60) * 60))
        return "Nobody has touched it for \(length). If you had left by then: focus stop --ago \(length)"
    }

    /// Returns the time left in words: "2 minutes", "45 seconds" if it is less than a minute, or "1m30s".
    private static func words(_ left: Duration) -> String {
        let seconds = left.inSeconds
        if seconds < 60 { return counted(seconds, "second") }
        return seconds % 60 == 0 ? counted(seconds / 60, "minute") : DurationText.text(left)
    }

    /// The beginning of the title about another laptop's press; nil if the kind isn't a press.
    private static func pressTitle(_ kind: Happening.Kind, _ timer: TimerState) -> String? {
        switch kind {
        case .start: Presentation(timer).isWaiting ? "Planned" : "Started"
        case .pause: "Paused"
        case .resume: "Resumed"
        case .stop: "Stopped"
        case .skip: "Skipped"
        case .phaseEnd, .phaseStart, .overtime, .phaseWarning, .joined, .left, .conflict: nil
        }
    }

    /// The new phase: "Short break, 05:00".
    private static func next(_ timer: TimerState) -> String {
        guard let run = timer.run else { return "" }
        let shown = Presentation(timer)
        let name =
            switch run.activity {
            case .work: shown.label.isEmpty ? "Work" : "Work on \(shown.label)"
            case .shortBreak: "Short break"
            case .longBreak: "Long break"
            }
        if shown.isWaiting { return "\(name), begins in \(Notification.words(.seconds(shown.secondsLeft)))." }
        if shown.mainButton == .start { return "\(name), \(shown.clock), waits to be started." }
        return "\(name), \(shown.clock)."
    }
}

/// Texts of the agent's own answers.
package enum AgentMessages {
    /// The answer of an agent that is ending and does nothing more.
    package static let ending = "The agent is ending."
}
