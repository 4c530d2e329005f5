import FocusCore
import FocusDevice
import FocusLink
import FocusPage
import FocusSeal
import FocusStore
import FocusText
import SQLiteKit

// The person at the page.
extension SimulatedBrowser {
    /// A press that has no answer yet.
    private final class Press {
        let interaction: Interaction
        /// The group that the laptop was in.
        let group: Int
        /// The last seqs of the device's own replicas before the press.
        let before: [ReplicaID: UInt64]
        /// The events of the press, once they are known.
        var events: [Event]?

        init(_ interaction: Interaction, in group: Int, after before: [ReplicaID: UInt64]) {
            self.interaction = interaction
            self.group = group
            self.before = before
        }
    }

    /// The number of requests without an answer at which people stop pressing.
    private static let mostRequests = 4

    /// Sends a press to the device. If no page can make this press, does nothing.
    func press(_ interaction: Interaction, _ consent: UndoConsent) {
        guard let (path, members) = interaction.request(consent),
            requestsUnderWay < SimulatedBrowser.mostRequests
        else { return }
        // Work that is due isn't part of the press.
        runDue()
        guard let device = laptop.device, let before = try? ownSeqs() else { return }
        let store = device.store
        device.updateCounted()
        let latest = (try? store.greatestStamp()) ?? .zero
        let press = Press(interaction, in: laptop.group, after: before)
        request(path, members) { [unowned self] in answered(press, $0) }
        let events = press.events ?? self.events(since: before)
        press.events = events
        guard !events.isEmpty else { return }
        laptop.checkStamps(of: events, after: latest)
        laptop.checkEpoch(of: events, store)
        laptop.returnUndos.subtract(events.map(\.stamp))
        laptop.trace("presses \(interaction): \(events.map { "\($0.id.seq)@\($0.stamp.rawValue)" })")
    }

    /// Handles the answer to a press. From now on the press must not be lost.
    private func answered(_ press: Press, _ answer: PageAnswer) {
        let world = laptop.world
        guard answer.status == 200 || answer.status == 204 else {
            world.counts.refusedPresses += 1
            laptop.trace("can't press \(press.interaction): \(answer.status)")
            return world.require(
                answer.status != 503 || mayRefuse, "only a disk keeps a press from being kept"
            ) {
                "\(laptop.name): \(String(decoding: answer.body, as: UTF8.self))"
            }
        }
        let events = press.events ?? self.events(since: press.before)
        press.events = events
        world.counts.presses += 1
        world.reach.count(.press, caseOf: press.interaction)
        if laptop.membership == .member, laptop.group == press.group {
            world.ledger.record(events, by: laptop)
        }
        laptop.trace("is told that \(press.interaction) is done")
    }

    private func ownSeqs() throws -> [ReplicaID: UInt64] {
        guard let device = laptop.device else { return [:] }
        let own = try device.ownReplicas()
        return Dictionary(
            uniqueKeysWithValues: try device.store.replicas().filter { own.contains($0.id) }
                .map { ($0.id, $0.seq) })
    }

    /// Returns the device's own events after these seqs, in replay order; none if the log can't be read.
    private func events(since before: [ReplicaID: UInt64]) -> [Event] {
        guard let store = laptop.device?.store, let present = try? ownSeqs() else { return [] }
        let events = present.flatMap { replica, seq -> [Event] in
            let first = (before[replica] ?? 0) + 1
            guard seq >= first else { return [] }
            return ((try? store.storedEvents(of: replica, from: first)) ?? []).compactMap(\.event)
        }
        return events.sorted { $0.position < $1.position }
    }
}

// Its group.
extension SimulatedBrowser {
    /// Asks for a group operation. A page can't sync. It leaves a group, untold, before it joins one.
    func run(_ operation: GroupOperation) {
        let number = laptop.nextOperation()
        switch operation {
        case .join(let invite, _, let choice):
            guard let text = try? invite.text() else { return }
            if !laptop.isOutside { leave() }
            laptop.joins[number] = choice
            let members = [
                JSON.Member("invite", .string(text)), JSON.Member("takeAlong", .bool(choice == .takeAlong)),
            ]
            run(number, "/join", members)
        case .revoke(let keys):
            let words = keys.map { JSON.string($0.hexadecimal) }
            run(number, "/device", [JSON.Member("revoke", .array(words)), JSON.Member("only", .bool(true))])
        case .accept(let key): run(number, "/device", [JSON.Member("accept", .string(key.hexadecimal))])
        case .leave: leave()
        case .sync, .check, .invite: break
        }
    }

    /// Leaves the group without telling anybody.
    func leave() {
        let members = [JSON.Member("sure", .bool(true)), JSON.Member("untold", .bool(true))]
        run(laptop.nextOperation(), "/leave", members)
    }

    /// Makes an invite.
    ///
    /// - Parameter done: Called with the invite if it was made.
    func invite(_ done: @escaping (Invite) -> Void) {
        run(laptop.nextOperation(), "/invite", []) { answer in
            let text = (try? JSON(parsing: answer.body))?["invite"]?.text
            if let invite = text.flatMap({ try? Invite($0) }) { done(invite) }
        }
    }

    private func run(
        _ number: Int, _ path: String, _ members: [JSON.Member],
        done: @escaping (PageAnswer) -> Void = { _ in }
    ) {
        request(path, members, operation: number) { [unowned laptop] answer in
            // Not now, because the device is calling.
            laptop.after(0) {
                laptop.trace("\(path) is answered: \(answer.status)")
                // The operation's notices are only in the answer's sentences, so the log may have changed
                // in any way.
                laptop.forget()
                laptop.updateMembership()
                done(answer)
            }
        }
    }
}

extension Interaction {
    /// Returns the path and the body of a page's request for this; nil if no simulated page makes it.
    fileprivate func request(_ consent: UndoConsent) -> (path: String, members: [JSON.Member])? {
        func press(_ name: String, _ members: JSON.Member...) -> (path: String, members: [JSON.Member]) {
            ("/press", [JSON.Member("press", .string(name))] + members)
        }
        let sure = JSON.Member("sure", .bool(consent == .always))
        switch self {
        case .start(let label, nil, nil): return press("start", JSON.Member("label", .optional(label)))
        case .pause: return press("pause")
        case .resume: return press("resume")
        case .toggle: return press("toggle")
        case .stop: return press("stop")
        case .skip: return press("skip")
        case .complete: return press("complete")
        case .rest: return press("break")
        case .addTime(let time):
            return press("add", JSON.Member("seconds", .integer(time.inMicroseconds / 1_000_000)))
        case .label(let text): return press("label", JSON.Member("label", .string(text)))
        case .set(let key, let value):
            return press(
                "set", JSON.Member("setting", .string(key.rawValue)), JSON.Member("value", .integer(value)))
        case .useProfile(let name): return press("useProfile", JSON.Member("name", .string(name)))
        case .saveProfile(let name): return press("saveProfile", JSON.Member("name", .string(name)))
        case .removeProfile(let name): return press("removeProfile", JSON.Member("name", .string(name)))
        case .undo: return press("undo", sure)
        case .redo: return press("redo", sure)
        case .nameDevice(let name): return ("/device", [JSON.Member("rename", .string(name))])
        case .start, .add, .relabel, .retime, .split, .remove: return nil
        }
    }
}
