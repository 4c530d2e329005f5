package import DBusKit
package import FocusContact
import FocusCore
package import FocusDevice
package import FocusFront
import FocusStore
import SystemKit

/// The parts of the agent that the tray uses. All are to be called on the agent's loop.
package struct TrayContext {
    /// The agent's device, open for writing.
    package let device: Device
    /// The clock and alarms of the agent's thread.
    package let time: any Scheduler
    /// The desktop's session bus.
    package let bus: any MessageBus
    /// Writes to the agent's log.
    package let log: (AgentLogEvent) -> Void
    /// Lets the agent store a suspension that has just ended, before something is pressed.
    package let recordSuspension: () -> Void
    /// Tells the agent that something was pressed in the tray.
    package let announceChanges: () -> Void
    /// Opens the page in the browser.
    package let openPage: () -> Void
    /// Shows a notification.
    package let notify: (Notification) -> Void

    /// The parts of one agent.
    package init(
        device: Device, time: any Scheduler, bus: any MessageBus, log: @escaping (AgentLogEvent) -> Void,
        recordSuspension: @escaping () -> Void, announceChanges: @escaping () -> Void,
        openPage: @escaping () -> Void, notify: @escaping (Notification) -> Void
    ) {
        self.device = device
        self.time = time
        self.bus = bus
        self.log = log
        self.recordSuspension = recordSuspension
        self.announceChanges = announceChanges
        self.openPage = openPage
        self.notify = notify
    }
}

/// The icon in the desktop's tray, with its menu. It is there while the laptop's setting `tray` is on and a
/// panel has a tray.
///
/// It wakes for what can be seen: a step of the ring, another minute, the end of a phase. While nothing runs, or
/// no panel is there, it doesn't wake. It lives on the agent's loop.
package final class TrayIcon {
    private let context: TrayContext
    private var menu = TrayMenu()
    /// Nil unless `hasPanel`.
    private var model: DeviceModel?
    private var subscription: ModelSubscription?
    /// Nil while the setting is off.
    private var watcher: BusSubscription?
    /// Whether the desktop has a list of icons.
    private var hasPanel = false
    private lazy var item = TrayItemObject(
        content: { [weak self] in self?.menu.content }, click: { [weak self] in self?.clicked($0) })
    private lazy var menuObject = TrayMenuObject(
        menu: { [weak self] in self?.menu ?? TrayMenu() },
        open: { [weak self] in
            self?.model?.refresh()
            self?.draw()
        }, click: { [weak self] line, target in self?.clicked(line, target) })

    /// The name of the desktop's list of icons. Panels with a tray read it.
    package static let watcherName = "org.kde.StatusNotifierWatcher"
    /// The name of the icon's owner on the bus. The icon disappears from panels when it is released.
    private let name = "org.kde.StatusNotifierItem-\(getpid())-1"
    /// The longest time to wait for the bus or the list of icons.
    private static let patience = Duration.seconds(5)

    /// A tray that shows nothing yet.
    package init(_ context: TrayContext) { self.context = context }

    /// Reads the setting and the log, which may have changed, and shows the result.
    package func refresh() {
        do {
            guard try LaptopSetting.tray.isOn(context.device.store) else { return hide() }
            if watcher == nil { watch() }
            if let model { model.refresh() } else if hasPanel { try show() }
        } catch {
            context.log(.failed(error))
        }
    }

    /// Removes the icon, because the agent ends or the setting is off.
    package func hide() {
        guard let watcher else { return }
        watcher.cancel()
        self.watcher = nil
        removePanel()
        callBus("ReleaseName", [.string(name)])
    }

    /// Follows the desktop's list of icons. A panel may start later than the agent, and may end and start again.
    private func watch() {
        watcher = context.bus.followOwner(of: TrayIcon.watcherName) { [weak self] owner in
            guard let self else { return }
            removePanel()
            hasPanel = owner != nil
            if hasPanel { refresh() }
        }
    }

    private func removePanel() {
        subscription?.cancel()
        (model, subscription, hasPanel) = (nil, nil, false)
        context.bus.removeObject(at: TrayItemObject.path)
        context.bus.removeObject(at: TrayMenuObject.path)
    }

    private func show() throws(DeviceFailure) {
        model = try DeviceModel(
            context.device, context.time, pace: .steps(TrayContent.untilNextStep),
            announceChanges: context.announceChanges)
        subscription = ModelSubscription(context.time) { [weak self] in self?.draw() }
        context.bus.export(item, at: TrayItemObject.path)
        context.bus.export(menuObject, at: TrayMenuObject.path)
        register()
    }

    /// Adds the icon to the desktop's list. The calls arrive in this order.
    private func register() {
        // 4 is DO_NOT_QUEUE. Nobody else has the name, because it contains this process's id.
        callBus("RequestName", [.string(name), .uint32(4)])
        call(
            BusCall(
                to: TrayIcon.watcherName, at: "/StatusNotifierWatcher", TrayIcon.watcherName,
                "RegisterStatusNotifierItem", [.string(name)]))
    }

    private func callBus(_ member: String, _ arguments: [BusValue]) {
        call(BusCall(to: BusNames.bus, at: BusNames.busPath, BusNames.bus, member, arguments))
    }

    /// Calls a method, and writes a refusal to the agent's log.
    private func call(_ call: BusCall) {
        context.bus.call(call, within: TrayIcon.patience) { [log = context.log] result in
            if case .failure(.refused(let name, let message)) = result {
                log(.failed(BusError.refused(name: name, message: message)))
            }
        }
    }

    // MARK: - Out

    /// Shows the model's state, and tells panels which parts have changed.
    private func draw() {
        guard let model else { return }
        // Reading the status registers observation: a change calls `draw` again.
        let status = model.status
        let undoable = try? context.device.undoable(status.state)
        for change in menu.show(TrayContent(status, undoable: undoable)) {
            switch change {
            case .icon: emit(TrayItemObject.path, TrayItemObject.interface, "NewIcon")
            case .toolTip: emit(TrayItemObject.path, TrayItemObject.interface, "NewToolTip")
            case .time:
                emit(
                    TrayMenuObject.path, TrayMenuObject.interface, "ItemsPropertiesUpdated",
                    menuObject.timeUpdate())
            case .layout:
                emit(
                    TrayMenuObject.path, TrayMenuObject.interface, "LayoutUpdated",
                    [.uint32(menu.revision), .int32(TrayMenuObject.root)])
            }
        }
    }

    private func emit(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) {
        context.bus.emit(
            BusSignal(path: path, interface: interface, member: member, arguments: arguments))
    }

    // MARK: - In

    private func clicked(_ click: TrayItemObject.Click) {
        switch click {
        case .main: context.openPage()
        case .middle: if let target = menu.content?.target { press(.toggle, on: target) }
        }
    }

    private func clicked(_ line: TrayLine, _ target: TrayTarget?) {
        if line == .openPage { context.openPage() }
        if let interaction = line.interaction { press(interaction, on: target) }
        if let answer = line.answer { self.answer(answer, to: target?.question) }
    }

    /// Performs a press. There is no place for an answer in a menu, so a notification says why nothing was done.
    ///
    /// - Parameter target: The timer and the log that the person saw, or nil if that was too long ago.
    private func press(_ interaction: Interaction, on target: TrayTarget?) {
        attempt { model throws(PerformFailure) in
            guard let target else {
                model.refresh()
                throw PerformFailure.notNow(.changed(to: model.shown))
            }
            try model.perform(
                interaction, consent: .named, on: target.timer, events: target.events)
        }
    }

    /// Answers a question, if it is still open.
    ///
    /// - Parameter question: The question that the person saw, or nil if that was too long ago.
    private func answer(_ answer: AbsenceAnswer, to question: AbsenceQuestion?) {
        attempt { model throws(PerformFailure) in
            guard let question else { throw PerformFailure.notNow(.nothingAsked) }
            try model.answer(answer, to: question)
        }
    }

    /// Runs `body`. If that throws, notifies the person of the reason. Then draws.
    private func attempt(_ body: (DeviceModel) throws(PerformFailure) -> Void) {
        guard let model else { return }
        context.recordSuspension()
        do throws(PerformFailure) {
            try body(model)
        } catch {
            context.notify(Notification(about: error, in: context.device.home))
        }
        draw()
    }
}
