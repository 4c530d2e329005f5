package import FocusContact
package import FocusCore
package import FocusDevice
package import FocusFront

/// A way to show notifications, one at a time.
package protocol NotificationDisplay: AnyObject {
    /// Shows a notification, in place of the last one that wasn't lasting. Calls `ended` once it is shown or
    /// has failed, and returns a function that makes a display end that takes too long.
    func show(
        _ notification: Notification, _ sound: NotificationSound,
        ended: @escaping (NotificationOutcome) -> Void
    ) -> () -> Void
    /// Removes the last notification that wasn't lasting, if that is possible.
    func withdraw()
}

/// The sound of a notification.
package enum NotificationSound: Hashable, Sendable {
    case none
    /// The desktop's usual sound, if it has one.
    case usual
    /// The bell of a phase's end.
    case bell
}

/// The result of showing a notification.
package enum NotificationOutcome: Sendable {
    /// `hasSound`: Whether the desktop also plays the sound.
    case shown(hasSound: Bool)
    case failed(NotifierTrouble)
    /// It was withdrawn before it was shown.
    case withdrawn
}

/// Shows notifications on the desktop: one at a time, and at most one a second.
///
/// There are two kinds. A lasting notification (`Notification.isLasting`) stays true after later presses, the
/// other kind doesn't. At most one of each kind waits: a newer one replaces it.
///
/// It belongs to one thread and never blocks. It waits a moment before it shows one. Meanwhile all screens
/// show the press, and presses in quick succession become one notification.
package final class Notifier {
    private let time: any Scheduler
    private let display: any NotificationDisplay
    private let ring: () -> Void
    private let say: (NotifierTrouble?) -> Void
    /// The waiting notifications: at most a lasting one, and after it at most one that isn't lasting.
    private var waiting: [Waiting] = []
    private var alarm: (any Alarm)?
    /// Whether the display is at work.
    private var isShowing = false
    /// The notification that was shown last; nil once it is withdrawn.
    private var last: Notification?
    /// The earliest time to show one again.
    private var earliestStart = SteadyInstant.zero
    /// Whether a failure was reported, and no success since.
    private var hasFailed = false

    private struct Waiting {
        var notification: Notification
        let hasSound: Bool
        let isRinging: Bool

        var sound: NotificationSound { !hasSound ? .none : isRinging ? .bell : .usual }
    }

    /// The shortest wait of a notification.
    private static let lull = Duration.milliseconds(200)
    /// The shortest time between two notifications.
    private static let pace = Duration.seconds(1)
    /// The longest time that the display may take.
    private static let patience = Duration.seconds(10)

    /// A notifier that has nothing to show.
    ///
    /// - Parameters:
    ///   - time: The clock and alarms of its thread.
    ///   - display: Shows them.
    ///   - ring: Makes the bell's sound if the desktop doesn't.
    ///   - say: Called with the reason if notifications can't be shown any more, and with nil once they can.
    package init(
        _ time: any Scheduler, on display: any NotificationDisplay, ring: @escaping () -> Void,
        say: @escaping (NotifierTrouble?) -> Void
    ) {
        self.time = time
        self.display = display
        self.ring = ring
        self.say = say
    }

    /// Shows a notification soon, unless a newer one replaces it.
    ///
    /// - Parameters:
    ///   - hasSound: Whether the desktop plays a sound with it.
    ///   - isRinging: Whether the bell's sound belongs to it.
    package func show(_ notification: Notification, withSound hasSound: Bool, ringing isRinging: Bool) {
        // A notification that replaces another also rings in its place.
        let former = waiting.first { $0.notification.isLasting == notification.isLasting }
        waiting.removeAll { $0.notification.isLasting == notification.isLasting }
        let newest = Waiting(
            notification: notification, hasSound: hasSound,
            isRinging: isRinging || former?.isRinging == true)
        waiting.insert(newest, at: notification.isLasting ? 0 : waiting.count)
        showLater()
    }

    private func showLater() {
        guard !isShowing, alarm == nil, !waiting.isEmpty else { return }
        alarm = time.schedule(after: max(Notifier.lull, earliestStart - time.now())) { [weak self] in
            self?.alarm = nil
            self?.showNext()
        }
    }

    /// Whether a notification about the timer waits, or was shown last.
    package var isAboutTimer: Bool {
        last?.timer != nil || waiting.contains { $0.notification.timer != nil }
    }

    /// Removes notifications about another timer than `present`: the person has seen the change elsewhere.
    package func withdraw(unless present: ShownTimer) {
        waiting.removeAll { $0.notification.isOver(at: present) }
        if last?.isOver(at: present) == true { withdraw() }
    }

    /// Corrects waiting notifications about a phase that has another length or name in `present`. Removes the
    /// shown one, because its text isn't true any more.
    package func correct(for present: TimerState) {
        for place in waiting.indices where waiting[place].notification.isOutdated(at: present) {
            waiting[place].notification = waiting[place].notification.updated(to: present)
        }
        if last?.isOutdated(at: present) == true { withdraw() }
    }

    /// Removes a notification that asks about an absence: that isn't asked any more.
    package func withdrawQuestion() {
        waiting.removeAll { $0.notification.question != nil }
        if last?.question != nil { withdraw() }
    }

    /// Removes the last notification, unless it is lasting.
    package func withdraw() {
        guard last?.isLasting == false else { return }
        last = nil
        display.withdraw()
    }

    private func showNext() {
        guard !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        isShowing = true
        if !next.notification.isLasting { last = next.notification }
        earliestStart = time.now() + Notifier.pace
        var timeout: (any Alarm)?
        let end = display.show(next.notification, next.sound) { [weak self] outcome in
            timeout?.cancel()
            self?.ended(next, outcome)
        }
        if isShowing { timeout = time.schedule(after: Notifier.patience, end) }
    }

    /// Handles the end of showing. A failure is reported once until a success, because it usually means that
    /// there is no desktop.
    private func ended(_ shown: Waiting, _ outcome: NotificationOutcome) {
        isShowing = false
        switch outcome {
        case .shown(let hasSound):
            if hasFailed { say(nil) }
            hasFailed = false
            if shown.isRinging, !hasSound { ring() }
        case .failed(let trouble):
            if !hasFailed { say(trouble) }
            hasFailed = true
            if shown.isRinging { ring() }
        case .withdrawn: break
        }
        showLater()
    }
}
