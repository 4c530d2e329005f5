import CommandLineKit
package import CursesKit
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusSeal

// The effect of each key. The list for people is `KeyHelp`.
extension ViewState {
    /// Applies a key to the view's state. Returns the key's further effect; nil if there is none.
    ///
    /// - Parameters:
    ///   - scene: The scene that was shown when the key was pressed.
    ///   - size: The terminal's size.
    package mutating func press(_ key: Key, on scene: Scene, _ size: TerminalSize) -> Effect? {
        message = nil
        switch dialog {
        case .none: return pressOnScreen(key, scene, size)
        case .field(let field, var text):
            if let effect = pressOnLabels(key, field, text.text, scene, size) { return effect }
            switch key {
            case .enter: return confirm(field, text, scene)
            case .escape, .control("g"): cancel(field)
            case .up, .down, .pageUp, .pageDown:
                // The results can be browsed while the filter is typed.
                if field == .filter { _ = pressHere(key, scene, size) }
            default:
                let before = text.text
                text.press(key)
                dialog = .field(field, text)
                if field == .filter, text.text != before { history.list = ListSelection() }
                if text.text != before { labelList = LabelList(filter: field.label(in: text.text)) }
                if field == .profile { message = ViewState.profileRule(scene) }
            }
            return nil
        case .question(let question): return answer(question, key)
        case .help(let top):
            pressOnHelp(key, top, size)
            return nil
        }
    }

    private mutating func pressOnScreen(_ key: Key, _ scene: Scene, _ size: TerminalSize) -> Effect? {
        if screen == .devices { seenNotice = scene.notice }
        switch key {
        case .escape where pendingOperation == .joining:
            message = "Giving up…"
            return .giveUp
        case .character("q"): return .quit
        case .control("l"): return .redraw
        case .character("?"): dialog = .help(top: 0)
        case .tab: screen = screen.next(by: 1)
        case .backTab: screen = screen.next(by: -1)
        case .character(let digit) where ("1"..."5").contains(digit):
            screen = ScreenName.allCases[Int(digit.value - 0x31)]
        case .character("/"):
            screen = .history
            dialog = .field(.filter, TextField(history.filter))
        default:
            // If the screen uses the key, `isTaken` is the key's effect, which may be nil.
            if let isTaken = pressHere(key, scene, size) { return isTaken }
            return pressTimer(key, scene)
        }
        return nil
    }

    // MARK: - The timer's keys, on every screen

    // With `.toBeAsked`, an undo that needs the person's consent fails. The view then asks (`.claim`).

    private mutating func pressTimer(_ key: Key, _ scene: Scene) -> Effect? {
        guard case .character(let character) = key else { return nil }
        switch character {
        case " ": return .perform(.toggle, .toBeAsked)
        case "s": return offerEffect(.skip, .skip, scene)
        case "x": return offerEffect(.stop, .stop, scene)
        case "D": return .perform(.complete, .toBeAsked)
        case "B": return .perform(.rest, .toBeAsked)
        case "+", "=": return offerEffect(.addTime, .addTime(.seconds(60)), scene)
        case "-", "_": return offerEffect(.addTime, .addTime(.seconds(-60)), scene)
        case "u": return .perform(.undo, .toBeAsked)
        case "U": return .perform(.redo, .toBeAsked)
        case "l", "L":
            let shown = scene.presentation
            if shown.offers.contains(.label) { openLabel(.label, shown.label) } else { openLabel(.start, "") }
            return nil
        default:
            message = KeyHelp.hint
            return nil
        }
    }

    private mutating func offerEffect(_ offer: Offer, _ interaction: Interaction, _ scene: Scene) -> Effect? {
        guard scene.presentation.offers.contains(offer) else {
            message = ViewText.nothingRuns
            return nil
        }
        return .perform(interaction, .toBeAsked)
    }

    // MARK: - The screens' own keys

    /// Handles a key of the present screen. Returns nil if the screen doesn't use the key, and `.some(nil)`
    /// if the key changes only the view's state.
    private mutating func pressHere(_ key: Key, _ scene: Scene, _ size: TerminalSize) -> Effect?? {
        let height = Layout(self, size).listHeight
        let step = Step(key, page: height)
        switch scene.content {
        case .timer:
            // The same key does something else on other screens.
            guard let question = scene.question, let answer = AbsenceAnswer(key) else { return nil }
            return .some(.answer(answer, question))
        case .unreadable: return nil
        case .history(let rows):
            return pressOnHistory(key, step?.count, rows, height)
        case .statistics(let statistics): return pressOnStatistics(key, step?.count, statistics, height)
        case .settings(let own):
            switch (step, key) {
            case (let step?, _):
                let rows = SettingRow.all
                let place = (rows.firstIndex(of: setting) ?? 0).addingReportingOverflow(step.count)
                    .partialValue
                setting = rows[max(0, min(place, rows.count - 1))]
            case (nil, .enter): return .some(edit(setting, scene, own))
            case (nil, .character("d")) where setting == .profile: askToRemoveProfile(scene)
            default: return nil
            }
        case .devices(let rows): return pressOnDevices(key, step?.count, scene, rows, height)
        }
        return .some(nil)
    }

    // MARK: - Dialogs

    private mutating func edit(_ row: SettingRow, _ scene: Scene, _ own: LaptopSettings) -> Effect? {
        switch row {
        case .own(let setting):
            if let next = setting.next(after: own[setting] ?? setting.initial) {
                return .changeOwn(setting, to: next)
            }
            dialog = .field(.ownSetting(setting), TextField(setting.text(in: own)))
            return nil
        case .shared(let key): return edit(key, scene.settings)
        case .profile: return editProfile(scene)
        }
    }

    private mutating func edit(_ key: SettingKey, _ settings: Settings) -> Effect? {
        if key.isSwitch { return .perform(.set(key, 1 - settings[key]), .toBeAsked) }
        dialog = .field(.setting(key), TextField(SettingText.text(settings[key], of: key)))
        return nil
    }

    /// Returns the effect of a typed line, or shows the line's problem.
    mutating func confirm(_ field: Field, _ typed: TextField, _ scene: Scene) -> Effect? {
        let text = typed.text
        let runs = scene.presentation.offers.contains(.label)
        let isKnown = text == scene.presentation.label || scene.labels.all.contains(text)
        switch field {
        // Since the field was opened, another laptop may have pressed something, or a day may have passed.
        case .label where !runs:
            dialog = .field(.start, TextField(StartRequest.line(label: text)))
            message = "The session has ended meanwhile: Enter starts another with this name."
            return nil
        case .start where runs:
            let request = try? StartRequest(line: text)
            dialog = .field(.label, request?.isPlain == true ? TextField(request?.label ?? "") : typed)
            message = "A session was started meanwhile: Enter gives it this name."
            return nil
        case .label where StartRequest.hasLengthOrTime(text) && !isKnown:
            message = "A session runs already, so it takes only a name here: + and - change how long."
            return nil
        case .setting(let key):
            guard let value = SettingText.value(of: key, in: text.filter { $0 != " " }) else {
                let wrong = SettingText.wrongPart(of: key, in: text).map { "\($0) " } ?? ""
                message = wrong + ViewText.range(of: key)
                return nil
            }
            dialog = .none
            return .perform(.set(key, value), .toBeAsked)
        case .ownSetting(let setting):
            guard let value = setting.value(in: text.filter { $0 != " " }) else {
                message = ViewText.range(of: setting)
                return nil
            }
            dialog = .none
            return .changeOwn(setting, to: value)
        case .profile: return profile(text, scene)
        case .filter:
            dialog = .none
            history.filter = text
            return nil
        case .label:
            dialog = .none
            return .perform(.label(text), .toBeAsked)
        case .start:
            do throws(ValueProblem) {
                let request = try StartRequest(line: text)
                dialog = .none
                return request.isPlain ? .perform(.start(label: request.label), .toBeAsked) : .start(request)
            } catch {
                message = error.message
                return nil
            }
        case .name:
            dialog = .none
            return .perform(.nameDevice(text), .toBeAsked)
        case .entry: return add(text)
        case .relabel(let name): return relabel(name, text, scene)
        case .retime(let name):
            return change(name, Result { () throws(ValueProblem) in try EntryChange(times: text) })
        case .split(let name):
            return change(name, Result { () throws(ValueProblem) in try EntryChange(split: text) })
        case .range:
            setRange(text, scene)
            return nil
        case .invite:
            do throws(CommandFailure) {
                let invite = try Invite(handedIn: text)
                dialog = .none
                return .use(invite)
            } catch {
                message = error.message
                return nil
            }
        }
    }

    /// Shows why the effect of a key failed. Reopens the field, so that its text can be corrected.
    ///
    /// - Parameter asked: The dialog that received the key.
    package mutating func refuse(_ sentence: String, askedIn asked: Dialog) {
        if case .field = asked { dialog = asked }
        message = sentence
    }

    private mutating func cancel(_ field: Field) {
        dialog = .none
        if field == .filter { history = HistoryViewState() }
    }

    /// The sentence about a key that answers no question, after the keys that do.
    private static let noAnswer = "Another key does nothing."

    private mutating func answer(_ question: Question, _ key: Key) -> Effect? {
        switch key {
        case .character("y"), .character("Y"):
            dialog = .none
            switch question {
            case .claim(let claim, let interaction): return .perform(interaction, .given(claim.target.id))
            case .fallShort(_, let interaction): return .perform(interaction, .toBeAsked)
            case .revoke(let row, let along, let recent): return revoke([row] + along, recent)
            case .revokeToo(let recent, let rows): return .revoke((rows + recent).map(\.id))
            case .revokeFormer(let former): return .revoke([former.key.hexadecimal])
            case .accept(let row): return .accept(row.id)
            case .remove(let name, _): return .perform(.remove(name), .toBeAsked)
            case .saveProfile(let name, _): return .perform(.saveProfile(name), .toBeAsked)
            case .removeProfile(let name): return .perform(.removeProfile(name), .toBeAsked)
            case .soloHistory(_, let invite): return .join(invite, .takeAlong)
            case .leaveGroup: return .leaveGroup(untold: false)
            case .leaveUntold: return .leaveGroup(untold: true)
            }
        case .character("o"), .character("O"):
            guard case .revoke(let row, let along, let recent) = question, !along.isEmpty else {
                message = ViewState.noAnswer
                return nil
            }
            dialog = .none
            return revoke([row], recent)
        case .character("n"), .character("N"), .character("q"), .escape:
            dialog = .none
            if key == .character("n") || key == .character("N") {
                if case .soloHistory(_, let invite) = question { return .join(invite, .leaveBehind) }
                if case .revokeToo(_, let rows) = question { return .revoke(rows.map(\.id)) }
            }
            message = "Nothing was changed."
        default: message = ViewState.noAnswer
        }
        return nil
    }

    /// Revokes devices. If they may have let in other devices (`recent`), first asks about these.
    private mutating func revoke(_ rows: [DeviceRow], _ recent: [DeviceRow]) -> Effect? {
        guard !recent.isEmpty else { return .revoke(rows.map(\.id)) }
        dialog = .question(.revokeToo(recent, with: rows))
        return nil
    }

    private mutating func pressOnHelp(_ key: Key, _ top: Int, _ size: TerminalSize) {
        let page = Layout(self, size).listHeight
        guard let step = Step(key, page: page) else {
            dialog = .none
            return
        }
        let last = max(0, KeyHelp.lineCount - page)
        let next = top.addingReportingOverflow(step.count).partialValue
        dialog = .help(top: max(0, min(next, last)))
    }
}

/// The distance that a key moves in a list.
private struct Step {
    /// The number of rows, downwards if positive.
    let count: Int

    init?(_ key: Key, page: Int) {
        switch key {
        case .up, .character("k"), .control("p"): count = -1
        case .down, .character("j"), .control("n"): count = 1
        case .pageUp, .control("b"): count = -max(1, page - 1)
        case .pageDown, .control("f"): count = max(1, page - 1)
        case .control("u"): count = -max(1, page / 2)
        case .control("d"): count = max(1, page / 2)
        // Farther than any list is long, but small enough that an addition doesn't overflow.
        case .home, .character("g"): count = -Step.wholeList
        case .end, .character("G"): count = Step.wholeList
        default: return nil
        }
    }

    private static let wholeList = Int(Int32.max)
}

extension CaseIterable where Self: Equatable, AllCases == [Self] {
    /// Returns the case `count` positions after this one. The first case follows the last one.
    func next(by count: Int) -> Self {
        let all = Self.allCases
        let place = (all.firstIndex(of: self) ?? 0) + count
        return all[(place % all.count + all.count) % all.count]
    }
}
