package import DBusKit
package import FocusCore
package import FocusDevice
package import FocusFront

/// Shows notifications by the program on the desktop's bus that shows them, with buttons (Desktop
/// Notifications Specification 1.2). If there is none, another display shows them.
///
/// It belongs to the bus's thread. Nothing is remembered of a program that isn't there: the next notification
/// tries again.
package final class NotificationDaemon: NotificationDisplay {
    private let bus: any MessageBus
    private let time: any Scheduler
    private let substitute: any NotificationDisplay
    private let soundFile: String?
    private let press: (NotificationButton, ScreenTimer?) -> Void
    /// The abilities of the present program; nil if they aren't known.
    package private(set) var capabilities: Set<String>?
    /// The present program's unique name, and nil in it if there is none; nil before the bus has told.
    private var owner: String??
    private var subscriptions: [BusSubscription] = []
    /// The notification that the next one replaces.
    private var shown: Shown?
    /// The attempt that has no answer yet.
    private var present: Attempt?

    /// A notification on the screen that isn't lasting.
    private struct Shown {
        let number: UInt32
        let notification: Notification
        let since: SteadyInstant
    }

    /// One notification on its way to the screen.
    private final class Attempt {
        var isWithdrawn = false
        /// Ends the substitute, if that is at work.
        var end: () -> Void = {}
    }

    /// The name of the program on the bus, and of its interface.
    package static let service = "org.freedesktop.Notifications"
    /// The object of that program.
    package static let path = "/org/freedesktop/Notifications"
    /// The longest time for each answer. The bus may have to start the program first.
    private static let patience = Duration.seconds(4)

    /// A display on a bus.
    ///
    /// - Parameters:
    ///   - time: The clock of the bus's thread.
    ///   - substitute: Shows the notifications that can't be shown on the bus.
    ///   - soundFile: The path of the bell's sound; nil if it isn't installed.
    ///   - press: Called when a person presses a button, with the timer that the notification was about.
    package init(
        _ bus: any MessageBus, _ time: any Scheduler, orElse substitute: any NotificationDisplay,
        soundFile: String?, press: @escaping (NotificationButton, ScreenTimer?) -> Void
    ) {
        self.bus = bus
        self.time = time
        self.substitute = substitute
        self.soundFile = soundFile
        self.press = press
    }

    /// Shows a notification on the bus, or else on the other display.
    package func show(
        _ notification: Notification, _ sound: NotificationSound,
        ended: @escaping (NotificationOutcome) -> Void
    ) -> () -> Void {
        let attempt = Attempt()
        present = attempt
        learnCapabilities { [weak self] capabilities in
            guard let self else { return }
            guard let capabilities else { return fall(back: attempt, notification, sound, ended) }
            send(notification, sound, capabilities) { [weak self] number in
                guard let self else { return }
                guard let number else { return fall(back: attempt, notification, sound, ended) }
                didShow(notification, attempt, number)
                ended(.shown(hasSound: capabilities.contains("sound")))
            }
        }
        return { attempt.end() }
    }

    /// Closes the notification, also if it is still on its way.
    package func withdraw() {
        present?.isWithdrawn = true
        if let number = shown?.number { close(number) }
        shown = nil
        substitute.withdraw()
    }

    private func fall(
        back attempt: Attempt, _ notification: Notification, _ sound: NotificationSound,
        _ ended: @escaping (NotificationOutcome) -> Void
    ) {
        if attempt.isWithdrawn, !notification.isLasting { return ended(.withdrawn) }
        attempt.end = substitute.show(notification, sound, ended: ended)
    }

    private func didShow(_ notification: Notification, _ attempt: Attempt, _ number: UInt32) {
        if notification.isLasting { return }
        if attempt.isWithdrawn { return close(number) }
        shown = Shown(number: number, notification: notification, since: time.now())
    }

    // MARK: - Calls

    private func call(
        _ member: String, _ arguments: [BusValue] = [],
        _ done: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        bus.call(
            BusCall(
                to: NotificationDaemon.service, at: NotificationDaemon.path, NotificationDaemon.service,
                member, arguments),
            within: NotificationDaemon.patience, done)
    }

    /// Passes on the program's abilities; nil if there is no program.
    private func learnCapabilities(_ done: @escaping (Set<String>?) -> Void) {
        if let capabilities { return done(capabilities) }
        call("GetCapabilities") { [weak self] answer in
            guard let self, case .success(let values) = answer, let names = values.first?.elements else {
                return done(nil)
            }
            let capabilities = Set(names.compactMap(\.text))
            self.capabilities = capabilities
            follow()
            done(capabilities)
        }
    }

    /// Sends a notification, and passes on its number; nil if that failed.
    private func send(
        _ notification: Notification, _ sound: NotificationSound, _ capabilities: Set<String>,
        _ done: @escaping (UInt32?) -> Void
    ) {
        let buttons = capabilities.contains("actions") ? notification.buttons : []
        var hints: [String: BusValue] = [
            "urgency": .byte(notification.isMinor ? 0 : 1), "desktop-entry": .string("lockstep"),
        ]
        switch sound {
        case .none: hints["suppress-sound"] = .bool(true)
        case .usual: break
        case .bell:
            if let soundFile {
                hints["sound-file"] = .string(soundFile)
            } else {
                hints["sound-name"] = .string("complete")
            }
        }
        let body = buttons.isEmpty ? notification.bodyWithoutButtons : notification.body
        let isMarkup = capabilities.contains("body-markup")
        let arguments: [BusValue] = [
            .string("Lockstep"), .uint32(notification.isLasting ? 0 : shown?.number ?? 0),
            .string("lockstep"),
            .string(notification.title), .string(isMarkup ? body.escapedAsMarkup : body),
            .strings(buttons.flatMap { [$0.rawValue, $0.title] }), .dictionary(hints), .int32(-1),
        ]
        call("Notify", arguments) { [weak self] answer in
            if case .success(let values) = answer, case .uint32(let number)? = values.first {
                done(number)
            } else {
                self?.capabilities = nil
                done(nil)
            }
        }
    }

    private func close(_ number: UInt32) { call("CloseNotification", [.uint32(number)]) { _ in } }

    // MARK: - Signals

    /// Follows the program's signals and its presence, from the first answer on.
    private func follow() {
        guard subscriptions.isEmpty else { return }
        let match = { (member: String) in
            BusMatch(
                from: NotificationDaemon.service, path: NotificationDaemon.path, NotificationDaemon.service,
                member)
        }
        subscriptions = [
            bus.followOwner(of: NotificationDaemon.service) { [weak self] in self?.didFind($0) },
            bus.subscribe(match("ActionInvoked")) { [weak self] in self?.didInvoke($0.arguments) },
            bus.subscribe(match("NotificationClosed")) { [weak self] in self?.didClose($0.arguments) },
        ]
    }

    /// Handles the present program's name. Another program knows none of the earlier notifications.
    private func didFind(_ name: String?) {
        if let owner, owner != name { (capabilities, shown) = (nil, nil) }
        owner = .some(name)
    }

    private func didInvoke(_ arguments: [BusValue]) {
        guard arguments.count == 2, case .uint32(let number) = arguments[0], let shown,
            shown.number == number,
            let button = shown.notification.buttons.first(where: { $0.rawValue == arguments[1].text })
        else { return }
        self.shown = nil
        press(button, shown.notification.timer.map { ScreenTimer($0, age: time.now() - shown.since) })
    }

    private func didClose(_ arguments: [BusValue]) {
        if case .uint32(let number)? = arguments.first, shown?.number == number { shown = nil }
    }
}
