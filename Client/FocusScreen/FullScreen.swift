package import CommandLineKit
import CursesKit
import FocusContact
import FocusCore
import FocusDevice
package import FocusFront
package import FocusLink
import FocusNet
import FocusStore
import FocusText
import Observation
import SystemKit

/// The full-screen view on this process's terminal: passes keys to the `ViewState`, performs the resulting
/// effects, and shows frames. It makes no decisions itself.
package final class FullScreen: @unchecked Sendable {
    // Unchecked: only the model's loop uses it. Other threads return to that loop through `EventLoop.run`.

    let model: DeviceModel
    let context: ViewContext
    /// Prints an invite on the terminal's normal screen.
    let showInvite: InvitePrinter
    let loop: EventLoop
    /// The loop for group operations, which may be slow.
    let worker: EventLoop
    let screen: Screen
    /// Reports on the agent.
    let news: AgentNews
    /// The status when `ringAtPhaseEnd` last looked.
    var previousStatus: DeviceStatus
    /// The state that frames are drawn from, besides the model.
    let shown: ScreenModel
    /// Ends the model's loop, and with it the view.
    private let end: ModelLoop.End
    private let scenes: SceneMaker
    /// The scene that was shown last.
    private var scene: Scene
    /// The view's state as it was stored last, as JSON; nil if it wasn't stored yet.
    private var savedView: String?
    /// The watch of the terminal's input.
    private var keys: DescriptorWatch?
    /// The watch of SIGTSTP (Ctrl-Z).
    private var suspension: SignalWatch?
    /// The invite that the terminal shows instead of the view (`FullScreen+Operations`); nil if it shows the view.
    var shownInvite: PublishedInvite?
    /// Whether the terminal shows something else than the view.
    var isViewHidden: Bool { shownInvite != nil }
    /// The number of group operations under way.
    var runningOperations = 0
    /// The handle that gives up joining; nil if this laptop isn't joining a group.
    var joining: Cancellation?

    private init(
        _ model: DeviceModel, _ context: ViewContext, showingInvite showInvite: @escaping InvitePrinter,
        _ loop: EventLoop, _ worker: EventLoop,
        _ news: AgentNews, _ relay: MessageRelay, _ end: @escaping ModelLoop.End
    ) throws {
        self.model = model
        self.context = context
        self.showInvite = showInvite
        self.loop = loop
        self.worker = worker
        self.news = news
        previousStatus = model.status
        self.end = end
        // Keys that arrive before the view exists wait for it.
        let view = ViewBox()
        let keys = try loop.watch(path: "/dev/tty", for: .readable) { view.value?.readKeys() }
        self.keys = keys
        // This must precede the screen. Otherwise ncurses finds SIGTSTP with its default effect, and handles it
        // itself. It ignores the signal while it writes a frame, so a Ctrl-Z in that time would be lost.
        suspension = try loop.onSignal(SIGTSTP) { view.value?.suspend() }
        screen = try Screen(
            types: TerminalType.names(context.environment), input: keys.descriptor,
            withColours: context.environment["NO_COLOR"] == nil,
            areExact: TerminalType.hasExactColours(context.environment),
            inUnicode: Glyphs.forLocale(context.environment) == .unicode)
        let bytes = try model.device.store.value(.view)
        let state = bytes.flatMap { try? JSON(parsing: $0) }.map { ViewState($0) } ?? ViewState()
        shown = ScreenModel(state, screen.size)
        scenes = SceneMaker(model)
        scene = scenes.scene(for: state)
        view.value = self
        news.ring = { [weak self] in self?.ring() }
        let handle = ObjectOnLoop(self, on: loop)
        relay.listen { line in handle.run { $0.shown.state.message = line } }
        try watchSignals()
        // Texts such as "3m ago" change even if nothing else does.
        loop.schedule(every: .seconds(60)) { [weak self] in self?.shown.minutes += 1 }
    }

    /// Holds the view once it exists, because the watch for keys is created before it.
    private final class ViewBox {
        weak var value: FullScreen?
    }

    /// Prints an invite, with its QR code if `showsCode`.
    package typealias InvitePrinter = @Sendable (_ invite: PublishedInvite, _ showsCode: Bool) -> Void

    /// Shows the view until the person leaves it.
    ///
    /// - Parameter showInvite: Prints an invite while the terminal shows its normal screen.
    /// - Throws: `CommandFailure` if the log can't be opened or the terminal can't show the view.
    package static func run(
        in context: ViewContext, showingInvite showInvite: @escaping InvitePrinter
    ) throws(CommandFailure) {
        // Messages about the agent must appear in the view, not be printed across it.
        let relay = MessageRelay()
        let operations = context.operations(tell: relay.send)
        let announceToAgent = { @Sendable in
            for notice in operations.announceLocalChanges(on: context.machine) {
                relay.send(notice.sentence)
            }
        }
        try runView { () throws in
            try ModelLoop.withWorker(announcingBy: announceToAgent) { worker, announceChanges in
                try ModelLoop.run(opening: context.openDevice, announceChanges: announceChanges) {
                    model, loop, news, end in
                    do {
                        let view = try FullScreen(
                            model, context, showingInvite: showInvite, loop, worker, news, relay, end)
                        return { view.draw() }
                    } catch let failure as Screen.Failure {
                        throw CommandFailure(failure)
                    }
                }
            }
        }
    }

    /// Draws the present state. It runs again when a value that it has read changes.
    private func draw() {
        _ = shown.minutes
        ringAtPhaseEnd()
        scene = scenes.scene(for: shown.state)
        let grid = ScreenFrame.draw(shown.state, scene, shown.size, screen.capabilities)
        if !isViewHidden { screen.show(grid) }
    }

    // MARK: - Keys

    private func readKeys() {
        if let shownInvite { return readLine(below: shownInvite) }
        var count = 0
        while !isViewHidden, let key = screen.readKey() {
            count += 1
            // Each key acts on the state that the keys before it have produced.
            let dialog = shown.state.dialog
            if let effect = shown.state.press(key, on: scenes.scene(for: shown.state), shown.size) {
                perform(effect, askedIn: dialog)
            }
        }
        saveView()
        if count == 0, keys?.hasHungUp == true { quit() }
    }

    /// Handles a line that was typed while the terminal shows an invite: shows the QR code after a `q`, or else the
    /// view.
    private func readLine(below invite: PublishedInvite) {
        if keys?.readFirst() == UInt8(ascii: "q") { showInvite(invite, true) } else { showAgain() }
        if keys?.hasHungUp == true { quit() }
    }

    /// Performs the effect of a key.
    ///
    /// - Parameter dialog: The dialog that received the key.
    private func perform(_ effect: Effect, askedIn dialog: Dialog) {
        switch effect {
        case .perform(let interaction, let consent): perform(interaction, consent, askedIn: dialog)
        case .start(let request): start(request, askedIn: dialog)
        case .answer(let answer, let question): self.answer(answer, question)
        case .add(let request): add(request, askedIn: dialog)
        case .change(let name, let change): self.change(name, change, askedIn: dialog)
        case .changeOwn(let setting, let value): changeOwn(setting, value)
        case .quit: quit()
        case .redraw:
            screen.invalidate()
            shown.size = screen.size
            draw()
        case .invite: invite()
        case .share: share()
        case .revoke(let keys): revoke(keys)
        case .accept(let key): accept(key)
        case .readmit(let key): readmit(key)
        case .use(let invite): use(invite, askedIn: dialog)
        case .join(let invite, let choice): join(invite, choice)
        case .giveUp: joining?.giveUp()
        case .leaveGroup(let isUntold): leaveGroup(untold: isUntold)
        }
    }

    private func perform(
        _ interaction: Interaction, _ consent: UndoConsent, askedIn dialog: Dialog,
        accepting accepted: BackdatingConsent = .all
    ) {
        model.device.letAgentDetectSuspension()
        do throws(PerformFailure) {
            let performed = try model.perform(
                interaction, consent: consent, accepting: accepted, on: model.shown)
            let sentence = performed.backdatingSentence ?? (try? performed.sentence(model.device)) ?? nil
            let recorded = (try? performed.recordedSentence(model.device)) ?? nil
            let keys = ViewText.keys(after: interaction, undoing: performed.undoneEvent?.action)
            shown.state.message =
                sentence.map { [$0, keys].compactMap(\.self).joined(separator: " ") }
                ?? recorded
                ?? ViewText.namesake(after: interaction, on: model.device, remedy: "e")
                ?? ViewText.successSentence(interaction)
            if case .add = interaction, let event = performed.events.last {
                shown.state.showAdded(RecordName(run: RunID(event.position), ordinal: 0))
            }
        } catch {
            switch error {
            case .needsConsent(let claim): shown.state.dialog = .question(.claim(claim, of: interaction))
            case .tooFarBack(let backdating, let now):
                let sentence = backdating.sentence("would count", now: now) ?? ""
                shown.state.dialog = .question(.fallShort(sentence, of: interaction))
            case .duplicate(let record, _):
                let sentence = "\(record.duplicateSentence(by: .current)) e gives it another label."
                shown.state.refuse(sentence, askedIn: dialog)
            case .notNow(let reason): shown.state.refuse(ViewText.sentence(reason), askedIn: dialog)
            default:
                shown.state.refuse(CommandFailure(error, model.device.home).message, askedIn: dialog)
            }
        }
    }

    private func start(_ request: StartRequest, askedIn dialog: Dialog) {
        do throws(CommandFailure) {
            perform(
                try model.device.start(request, .current), .toBeAsked, askedIn: dialog, accepting: [])
        } catch {
            shown.state.refuse(error.message, askedIn: dialog)
        }
    }

    private func answer(_ answer: AbsenceAnswer, _ question: AbsenceQuestion) {
        do throws(PerformFailure) {
            try model.answer(answer, to: question)
            shown.state.message = question.sentence(after: answer, undo: "u")
        } catch {
            shown.state.message = CommandFailure(error, model.device.home).message
        }
    }

    private func add(_ request: AddEntryRequest, askedIn dialog: Dialog) {
        do throws(CommandFailure) {
            perform(.add(try model.device.phase(of: request, .current)), .toBeAsked, askedIn: dialog)
        } catch {
            shown.state.refuse(error.message, askedIn: dialog)
        }
    }

    private func change(_ name: RecordName, _ change: EntryChange, askedIn dialog: Dialog) {
        do throws(CommandFailure) {
            let history: History
            do throws(DeviceFailure) { history = try model.history() } catch { throw CommandFailure(error) }
            guard let record = history.records.first(where: { $0.name == name }) else {
                shown.state.message = ViewText.entryRemoved
                return
            }
            perform(try change.interaction(on: record, .current), .toBeAsked, askedIn: dialog)
        } catch {
            shown.state.refuse(error.message, askedIn: dialog)
        }
    }

    private func changeOwn(_ setting: LaptopSetting, _ value: LaptopSetting.Value) {
        do throws(StoreError) {
            try setting.set(value, model.device.store)
            model.didChangeLaptopSetting()
            shown.state.message = ViewText.ownSettingChanged
            draw()
        } catch {
            shown.state.message = CommandFailure(error, model.device.home.database).message
        }
    }

    /// Stores the view's state, so that the next view starts there even if this one crashes.
    private func saveView() {
        let text = "\(shown.state.json)"
        guard text != savedView else { return }
        do throws(StoreError) {
            try model.device.store.setText(text, for: .view)
            savedView = text
        } catch {
            shown.state.message = CommandFailure(error, model.device.home.database).message
        }
    }

    // MARK: - Signals, suspension and the end

    private func watchSignals() throws {
        try loop.onSignal(SIGWINCH) { [weak self] in self?.resized() }
        try loop.onSignal(SIGINT) { [weak self] in self?.quit() }
        for signal in [SIGTERM, SIGHUP, SIGQUIT] {
            try loop.onSignal(signal) { [weak self] in self?.quit(because: signal) }
        }
    }

    private func watchForSuspension() throws {
        suspension = try loop.onSignal(SIGTSTP) { [weak self] in self?.suspend() }
    }

    private func resized() { shown.size = screen.size }

    /// Handles Ctrl-Z: stops as any program does, and shows the present state when it continues.
    private func suspend() {
        if !isViewHidden { screen.suspend() }
        // The signal must have its default effect again.
        suspension?.cancel()
        // `raise` signals this thread, which stops in the call. A signal to the process may reach another thread
        // later, after this one has shown the view again.
        raise(SIGTSTP)
        do { try watchForSuspension() } catch { return end(CommandFailure("\(error)")) }
        if !isViewHidden { showAgain() }
    }

    /// Shows the view again after the terminal has shown something else.
    func showAgain() {
        shownInvite = nil
        screen.resume()
        shown.size = screen.size
        model.refresh()
        draw()
    }

    /// Ends the view; for a signal it ends the process in the signal's default way.
    private func quit(because signal: Int32? = nil) {
        screen.close()
        // Otherwise the process would wait for the server's answer before it ends.
        joining?.giveUp()
        if let signal {
            SystemKit.signal(signal, SIG_DFL)
            kill(getpid(), signal)
        }
        end(nil)
    }
}

/// The state that the full-screen view is drawn from, besides the model. A change of it redraws the view.
@Observable final class ScreenModel {
    var state: ViewState
    var size: TerminalSize
    /// Counts minutes, for texts such as "3m ago".
    var minutes = 0

    init(_ state: ViewState, _ size: TerminalSize) {
        self.state = state
        self.size = size
    }
}

extension CommandFailure {
    /// The reason why the view can't be shown in this terminal, and an alternative.
    fileprivate init(_ failure: Screen.Failure) {
        let sentence =
            switch failure {
            case .unknown(let type):
                "The terminal '\(type)' (TERM) isn't known here, or can't move its cursor."
            case .noDescriptor: "This process has no file descriptor left."
            case .noLibrary(let reason):
                "The full screen needs ncurses (Debian's package libncursesw6): \(reason)."
            }
        self.init("\(sentence) 'focus status' shows what is running.")
    }
}
