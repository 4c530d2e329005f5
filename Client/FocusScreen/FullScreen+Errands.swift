import CommandLineKit
import CursesKit
import FocusAgent
import FocusDevice
import FocusFront
package import FocusLink
import FocusNet
import FocusSeal
import FocusStore
import FocusWords
import Synchronization

// What asks the server: the same as the commands do, on a thread of its own.
extension FullScreen {
    /// Makes an invite, and shows it on the usual screen, where it can be copied as one line, until Enter is pressed.
    func invite() {
        errand { errands, _ throws(GroupFailure) in
            try reported { () throws(ErrandTrouble) in try errands.invite() }
        } done: { [self] made, _ in
            isAway = true
            mayReturn = true
            screen.suspend()
            showInvite(made)
        }
    }

    /// Shuts these devices out, and says what came of it.
    func revoke(_ keys: [String]) {
        command { errands, device throws(GroupFailure) in
            try errands.revoke(keys, isOnly: true, of: device)
        }
    }

    /// Gives the group's key to a device that waits for it, and says what came of it.
    func accept(_ key: String) {
        command { errands, device throws(GroupFailure) in try errands.accept(key, of: device) }
    }

    /// Takes back that a device was shut out, and says what that means.
    func readmit(_ key: String) {
        command { errands, device throws(GroupFailure) in try errands.readmit(key, of: device) }
    }

    /// Parts from the group, and says where the copy of its log is.
    func part() {
        command { errands, device throws(GroupFailure) in try errands.leave(device) }
    }

    // MARK: - Joining

    /// Joins with an invite, or first asks what becomes of what was recorded alone.
    func use(_ invite: Invite, askedIn dialog: Dialog) {
        do throws(CommandFailure) {
            try told { () throws(DeviceFailure) in try model.device.requireAlone() }
            let question = try model.device.using { device throws(StoreError) in
                try AloneQuestion(invite, device)
            }
            if let question {
                shown.state.dialog = .question(.alone(question, invite))
            } else {
                // Nobody was asked, so nothing that comes to be meanwhile is shown to the others.
                join(invite, .leaveBehind)
            }
        } catch {
            shown.state.refuse(error.message, askedIn: dialog)
        }
    }

    /// Joins, and says what came of it.
    func join(_ invite: Invite, _ choice: AloneHistory.Choice) {
        let giving = GivingUp()
        joining = giving
        errand(.joining) { errands, _ throws(GroupFailure) in
            try reported { () throws(ErrandTrouble) in
                try errands.join(invite, called: nil, choice, giving: giving)
            }
        } done: { [self] joined, besides in
            shown.state.joined(joined, besides.line)
        }
    }

    // MARK: - Errands

    /// Asks something of the group, and says what that came to.
    private func command(
        _ body: @escaping @Sendable (any GroupErrands, Device) throws(GroupFailure) -> [String]
    ) {
        errand(.asking, body) { [self] did, besides in shown.state.message = (did + besides).line }
    }

    /// Runs an errand with a connection of its own to the log; `done` is given what came of it, where it didn't fail, and
    /// what there is to say besides.
    private func errand<Value: Sendable>(
        _ what: Underway = .asking,
        _ body: @escaping @Sendable (any GroupErrands, Device) throws(GroupFailure) -> Value,
        done: @escaping @Sendable (Value, _ besides: [String]) -> Void
    ) {
        errands += 1
        shown.state.underway = what
        worker.run { [self] in
            let asides = Asides()
            let result: Result<Value, GroupFailure>
            do throws(GroupFailure) {
                let device = try context.deviceForErrand()
                result = .success(try body(context.errands(tell: asides.add), device))
            } catch {
                result = .failure(error)
            }
            let besides = asides.sentences
            loop.run {
                self.errands -= 1
                if what == .joining { self.joining = nil }
                if self.errands == 0 { self.shown.state.underway = nil }
                switch result {
                case .success(let value): done(value, besides)
                case .failure(let failure):
                    self.shown.state.message =
                        failure.failure.message
                        + (failure.besides + besides).lines.map { " \($0)" }.joined()
                }
                self.model.refresh()
            }
        }
    }
}

/// What is said on an errand's thread that isn't its outcome.
private final class Asides: Sendable {
    private let said = Mutex<[String]>([])

    var sentences: [String] { said.withLock { $0 } }

    func add(_ sentence: String) { said.withLock { $0.append(sentence) } }
}

// What is said once a laptop has joined.
extension ViewState {
    /// Says what came of joining, and offers another name where a laptop of the group has this one's.
    ///
    /// - Parameter said: what there is to say besides; empty where that is nothing.
    package mutating func joined(_ joined: Joined, _ said: String) {
        let canTypeName = joined.hasNamesake && screen == .devices && dialog == .none
        let remedy = canTypeName ? "The line below" : "e, among the devices,"
        let next = joined.isFirst ? ["i lets the next one in."] : []
        let words = joined.sentences(remedy: remedy) + next + (said.isEmpty ? [] : [said])
        message = words.flatMap { $0.split(separator: "\n") }.joined(separator: " ")
        if canTypeName { dialog = .field(.name, TextField(offering: joined.name)) }
    }
}

/// Takes what is said on another thread to the view, which is there later than who speaks.
final class SpokenLines: Sendable {
    private let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Hears everything from now on, on the thread that says it.
    func listen(_ take: @escaping @Sendable (String) -> Void) { listener.withLock { $0 = take } }

    /// Says a sentence; nobody hears it before there is a listener.
    func say(_ sentence: String) {
        let take = listener.withLock { $0 }
        take?([sentence].line)
    }
}
