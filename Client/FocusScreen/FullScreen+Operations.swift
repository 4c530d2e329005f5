import CommandLineKit
import CursesKit
package import FocusContact
import FocusDevice
package import FocusFront
package import FocusLink
import FocusNet
import FocusSeal
import FocusStore
import Synchronization

// Group operations: the same as those of the commands, on a separate thread.
extension FullScreen {
    /// Makes an invite. Shows it on the terminal's normal screen until Enter is pressed, because there it can
    /// be copied as one line.
    func invite() {
        runOperation { operations, _ throws(CommandFailure) in
            try mapOperationError { () throws(GroupOperationError) in try operations.invite() }
        } done: { view, invite, _ in
            view.hide(behind: invite)
        }
    }

    /// Shows an invite instead of the view.
    private func hide(behind invite: PublishedInvite) {
        shownInvite = invite
        screen.suspend()
        showInvite(invite, false)
    }

    /// Shares from this laptop, and shows the invite in the same way.
    func share() {
        runOperation(.sharing) { operations, _ throws(CommandFailure) in
            try mapOperationError { () throws(GroupOperationError) in
                try operations.share(called: nil, cancellation: Cancellation())
            }
        } done: { view, shared, notes in
            view.shown.state.showShared(shared, notes)
            view.hide(behind: shared.invite)
        }
    }

    /// Revokes these devices, and shows the result.
    func revoke(_ keys: [String]) {
        command { operations, device throws(CommandFailure) in
            try operations.revoke(keys, revokesOnlyNamed: true, of: device)
        }
    }

    /// Gives the group's key to a device that waits for it, and shows the result.
    func accept(_ key: String) {
        command { operations, device throws(CommandFailure) in try operations.accept(key, of: device) }
    }

    /// Readmits a revoked device, and shows the consequences.
    func readmit(_ key: String) {
        command { operations, device throws(CommandFailure) in
            // The text below the list says the rest, with this screen's keys.
            let done = try device.readmit(key).readmission
            return [done] + operations.announceLocalChanges(on: device).map(\.sentence)
        }
    }

    /// Leaves the group, and shows the path of the log's copy, or asks again if the server can't be told.
    func leaveGroup(untold isUntold: Bool) {
        runOperation { operations, device throws(CommandFailure) in
            try operations.leave(device, untold: isUntold)
        } done: { view, result, notes in
            view.shown.state.showLeft(result, notes)
        }
    }

    // MARK: - Joining

    /// Joins with an invite. If something was recorded in no group, it first asks whether to take that along.
    func use(_ invite: Invite, askedIn dialog: Dialog) {
        do throws(CommandFailure) {
            try mapFailure { () throws(DeviceFailure) in try model.device.requireNoGroup() }
            let question = try model.device.using { device throws(StoreError) in
                try SoloHistoryQuestion(invite, device)
            }
            if let question {
                shown.state.dialog = .question(.soloHistory(question, invite))
            } else {
                // Nobody was asked, so nobody agreed to show work to the group. Work recorded meanwhile is
                // left behind.
                join(invite, .leaveBehind)
            }
        } catch {
            shown.state.refuse(error.message, askedIn: dialog)
        }
    }

    /// Joins with an invite, and shows the result.
    func join(_ invite: Invite, _ choice: SoloHistory.Choice) {
        let cancellation = Cancellation()
        joining = cancellation
        runOperation(.joining) { operations, _ throws(CommandFailure) in
            try mapOperationError { () throws(GroupOperationError) in
                try operations.join(invite, called: nil, choice, cancellation: cancellation)
            }
        } done: { view, joined, notes in
            view.shown.state.showJoined(joined, notes.line)
        }
    }

    // MARK: - Group operations

    /// Runs a group operation, and shows the sentences that it returns.
    private func command(
        _ body: @escaping @Sendable (any GroupOperations, Device) throws(CommandFailure) -> [String]
    ) {
        runOperation(.asking, body) { view, sentences, notes in
            view.shown.state.message = (sentences + notes).line
        }
    }

    /// Runs a group operation on the worker, with its own connection to the log.
    ///
    /// - Parameters:
    ///   - done: Called on the model's loop if the operation succeeds, with the view, the result and further
    ///     sentences to show. Neither closure may refer to the view.
    private func runOperation<Value: Sendable>(
        _ kind: PendingOperation = .asking,
        _ body: @escaping @Sendable (any GroupOperations, Device) throws(CommandFailure) -> Value,
        done: @escaping @Sendable (FullScreen, Value, _ notes: [String]) -> Void
    ) {
        runningOperations += 1
        shown.state.pendingOperation = kind
        let view = ObjectOnLoop(self, on: loop)
        worker.run { [context] in
            let collected = CollectedMessages()
            let result: Result<Value, CommandFailure>
            do throws(CommandFailure) {
                let device = try context.openDeviceForOperation()
                result = .success(try body(context.operations(tell: collected.add), device))
            } catch {
                result = .failure(error)
            }
            let notes = collected.sentences
            view.run { view in
                view.runningOperations -= 1
                if kind == .joining { view.joining = nil }
                if view.runningOperations == 0 { view.shown.state.pendingOperation = nil }
                switch result {
                case .success(let value): done(view, value, notes)
                case .failure(let failure):
                    view.shown.state.message =
                        failure.message
                        + (failure.notes + notes).lines.map { " \($0)" }.joined()
                }
                view.model.refresh()
            }
        }
    }
}

/// Collects the further sentences of a group operation, which aren't its result, on the operation's thread.
private final class CollectedMessages: Sendable {
    private let messages = Mutex<[String]>([])

    var sentences: [String] { messages.withLock { $0 } }

    func add(_ sentence: String) { messages.withLock { $0.append(sentence) } }
}

// The messages after sharing and joining.
extension ViewState {
    /// Shows the result of sharing, without the group's laptops: the list shows them, and others may join
    /// while the invite is shown.
    package mutating func showShared(_ shared: SharedInvite, _ notes: [String]) {
        message = (shared.sentences.filter { $0 != shared.joined?.sentence } + notes).line
    }

    /// Shows the result of joining. Offers to shut out this laptop's former self. Otherwise, if another laptop of the
    /// group has the same name, offers to change this one's.
    ///
    /// - Parameter more: Further words to show; may be empty.
    package mutating func showJoined(_ joined: JoinResult, _ more: String) {
        // `e` (edit the name) and `i` (invite) are keys of the view.
        let canAsk = screen == .devices && dialog == .none
        let canTypeName = canAsk && joined.hasNamesake && joined.former == nil
        let remedy = canTypeName ? "The line below" : "e, among the devices,"
        let next = joined.isFirst ? ["i lets the next one in."] : []
        let words = joined.sentences(remedy: remedy) + next + (more.isEmpty ? [] : [more])
        message = words.flatMap { $0.split(separator: "\n") }.joined(separator: " ")
        if canTypeName { dialog = .field(.name, TextField(offering: joined.name)) }
        if canAsk, let former = joined.former { dialog = .question(.revokeFormer(former)) }
    }
}

// The message after leaving.
extension ViewState {
    /// Shows the result of leaving, or asks the person, who may be typing something else by now.
    ///
    /// - Parameter notes: Further sentences to show.
    package mutating func showLeft(_ result: LeaveResult, _ notes: [String]) {
        switch result {
        case .done(let sentences): message = (sentences + notes).line
        case .question(let question) where dialog == .none: dialog = .question(.leaveUntold(question))
        case .question: message = "The server couldn't be told, so this laptop stays in the group."
        }
    }
}

/// Passes sentences from other threads to the view. It is made before the view, because the group operations
/// need it when they are made, and they are made before the view too.
final class MessageRelay: Sendable {
    private let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Sets the listener, which is called on the thread that calls `send`.
    func listen(_ body: @escaping @Sendable (String) -> Void) { listener.withLock { $0 = body } }

    /// Passes on a sentence; it is dropped if there is no listener yet.
    func send(_ sentence: String) {
        let body = listener.withLock { $0 }
        body?([sentence].line)
    }
}
