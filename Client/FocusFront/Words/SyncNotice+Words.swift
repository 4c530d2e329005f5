import CommandLineKit
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
package import FocusText

extension SyncNotice {
    /// The event and its remedy, for a person, with times of day by the local clock.
    package var sentence: String { sentence(by: .current) }

    /// Returns the event and its remedy, for a person.
    ///
    /// - Parameter clocks: The clock of the times of day.
    package func sentence(by clocks: LocalZone) -> String {
        switch self {
        case .returned(let deeds): deeds.map { $0.sentence(by: clocks) }.joined(separator: " ")
        case .branchMoved(let count):
            "This laptop's log had diverged from the group's. Its own changes since then (\(changes(count))) are kept on a branch."
        case .putAside(let count):
            "Put aside until their key arrives: \(changes(count)) that this laptop can't read, and that the server has in another version."
        case .cloned:
            "Another machine writes as this laptop: a copy of it, or this laptop before a restore. This laptop continues under a new name in the log."
        case .reauthored(let count):
            "This laptop's clock was ahead: \(changes(count)) in the future got the right time."
        case .damaged(let names):
            "Something written as \(names.joined(separator: ", ")) is damaged or forged: the group's key doesn't open it. Every laptop leaves it out; 'focus doctor' counts such changes."
        case .stopped(let code): code.sentence
        case .unreadableExcess(let server):
            "The server at \(server) sends too many events that no key of the group opens. This laptop keeps some of them and ignores the rest. Everything else goes on."
        case .unlisted(let refusal):
            "A laptop of the group can't use the server. \(refusal.explanation)"
        case .clockJumped(let jump):
            "The server's clock jumped \(jump < .zero ? "back" : "ahead") by \(AgoText.length(jump.magnitude)). This laptop keeps its present time. The server's operator should check the server's clock."
        case .keyChanged(let names):
            "The group has a new key: \(names.joined(separator: ", ")) can't read later changes."
        case .newcomers(let names):
            "\(names.joined(separator: ", ")) got the group's key for the first time, and can read later changes. If you know whose laptop that is, all is well. If not: focus devices revoke NAME."
        case .latecomers(let names):
            "\(names.joined(separator: ", ")) came with an old key of the group, from before a laptop was shut out, and doesn't get the new one. If you know whose it is: focus devices accept NAME. If not: focus devices revoke NAME."
        case .keyUnchanged(let refusal):
            "The server doesn't take a new key for the group, which keeps the old one for now. \(refusal.explanation)"
        case .badEpochs(let count):
            "\(count == 1 ? "A new key of the group" : "\(count) new keys of the group") can't be used: damaged, or not made by a laptop of the group. This laptop keeps the present key."
        case .woke(.paused(let ago)):
            "This laptop slept, and the session is paused as of \(lengthText(ago)) ago. 'focus undo' counts the time after all."
        case .woke(.tookBack):
            "The pause that this laptop made on waking was taken back, because others were connected while it slept."
        case .tookAlong(let extent): "What was recorded here without a group came along: \(extent.text)."
        case .leftBehind(let extent, let copy):
            "What was recorded here without a group was left behind: \(extent.text).\(copy.useAfterJoining)"
        case .clockNotSure:
            "The server isn't sure of its clock and accepts nothing new. 'focusd clock' tells its operator what to do. Changes are kept here meanwhile."
        }
    }
}

extension RefusalCode {
    /// The reason why the server doesn't accept changes, and the remedy.
    package var sentence: String {
        switch self {
        case .clockAhead:
            "The server finds some changes too far in the future. They are kept here and tried again."
        case .clockNotSure: SyncNotice.clockNotSure.sentence
        case .unknownEpoch:
            "The server doesn't know the key that some changes were sealed under. They are kept here and tried again."
        case .rate:
            "Too much was written at once for the server. Changes are kept here and sent step by step."
        case .groupFull:
            "The group's log has reached the server's limit, which its operator can raise: 'focusd groups quota --help'. Changes are kept here and tried again."
        case .noRoom:
            "The server's disk is full: its operator has to make room. Changes are kept here and tried again."
        case .internal:
            "The server couldn't store some changes; its log says why. They are kept here and tried again."
        default:
            "The server hasn't taken some changes yet (code \(rawValue)). They are kept here and tried again."
        }
    }

    /// The reason in a few words.
    package var reason: String {
        switch self {
        case .groupFull: "The group's log is full"
        case .noRoom: "The server's disk is full"
        default: "The server takes no changes now"
        }
    }
}

extension [SyncNotice] {
    /// The sentences of all notices, for a person. A sentence that occurs more than once stands at its last
    /// place only.
    package var sentences: [String] {
        var sentences: [String] = []
        for sentence in map({ $0.sentence }) {
            sentences.removeAll { $0 == sentence }
            sentences.append(sentence)
        }
        return sentences
    }
}

private func changes(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }

extension SyncNotice.Returned {
    /// The clause about the command that restores the presses; empty if it can't.
    private static func hint(_ canRedo: Bool, _ presses: [Press]) -> String {
        canRedo ? "; 'focus redo' restores \(presses.count == 1 ? "it" : "them")" : ""
    }

    /// Names the presses in a list: the first three, then the number of others.
    private static func named(_ presses: [Press], by clocks: LocalZone) -> String {
        var named = presses.prefix(3).map { "the \($0.action.words) at \(clocks.clock($0.time))" }
        if presses.count > named.count { named.append("\(presses.count - named.count) more") }
        let last = named.popLast() ?? ""
        let list = named.isEmpty ? last : "\(named.joined(separator: ", ")) and \(last)"
        return list.prefix(1).uppercased() + list.dropFirst()
    }

    /// Returns the action in a sentence, for a person.
    ///
    /// - Parameter clocks: The clock of the times of day.
    fileprivate func sentence(by clocks: LocalZone) -> String {
        switch self {
        case .stoppedOwn:
            "The session begun here while offline was ended, because the others have one. Its time is in the history."
        case .adopted: "The session begun here while offline is everyone's now."
        case .closed(let name):
            "Nobody had touched \(name)'s session since then, so it was ended when this one began. 'focus undo' brings it back."
        case .joined(let name): "\(name) started first: you are in that session."
        case .tookBack(let presses, let canRedo):
            "\(SyncNotice.Returned.named(presses, by: clocks)), made here while offline, \(presses.count == 1 ? "was" : "were") taken back, because others pressed since\(SyncNotice.Returned.hint(canRedo, presses))."
        // The presses are undos, and the others continued with what these had undone.
        case .putBack(let presses, let canRedo):
            "\(SyncNotice.Returned.named(presses, by: clocks)), made here while offline, \(presses.count == 1 ? "was" : "were") taken back, because others went on since\(SyncNotice.Returned.hint(canRedo, presses))."
        case .setAnew(let key): "Your offline change to \(key) now applies to all laptops."
        case .wentOn: "The session goes on here, because the others have none."
        case .kept(let work):
            "What was worked here meanwhile (\(lengthText(work))) isn't part of the group's session, but is in the history."
        }
    }
}

extension Trouble {
    /// The trouble and its remedy.
    package var sentence: String {
        switch self {
        case .revoked: ServerObstacle.revoked.sentence
        case .server(let obstacle): obstacle.sentence
        case .eventsRefused(let code): code.sentence
        case .unreadable(let count):
            "\(counted(count, "change")) can't be read yet, because the group's key changed and this laptop doesn't "
                + "have the new one. It comes from another laptop of the group, once both are connected. You may "
                + "have to accept this laptop there: focus devices accept NAME"
        case .earlyEvents(let early, let lead):
            "\(counted(early.count, "change")) \(early.count == 1 ? "lies" : "lie up to") "
                + "\(AgoText.length(lead)) in the future, and \(early.count == 1 ? "counts" : "count") once that "
                + "time has come. If this laptop's clock is behind, set it. If a clock was ahead, 'focus clock "
                + "accept' "
                + (early.own == early.count
                    ? "brings \(early.count == 1 ? "it" : "them") back to now."
                    : early.own == 0
                        ? "takes \(early.count == 1 ? "it" : "them") back on all laptops."
                        : "brings the changes made here back to now, and takes the others back.")
        case .latecomers(let count):
            "\(count == 1 ? "A laptop is waiting" : "\(count) laptops are waiting") to be accepted, which came with a key from before "
                + "another was shut out. 'focus devices' says which, 'focus devices accept NAME' lets one in, and 'focus devices "
                + "revoke NAME' shuts it out."
        case .resolved(let sentence, let remedy):
            [sentence, remedy?.sentence].compactMap { $0 }.joined(separator: " ")
        }
    }
}

extension DamagedEvents {
    /// The sentence about damaged events; empty if there are none.
    package var sentence: String {
        guard !counts.isEmpty else { return "" }
        let parts = counts.sorted { $0.key < $1.key }.map { "\(counted($0.value, "change")) of \($0.key)" }
        return
            "Damaged or forged, and left out on every laptop: \(parts.joined(separator: ", ")). The group's key "
            + "doesn't open them, and nothing can repair them."
    }
}

extension HistoryTransfer.Extent {
    /// The extent, to be read within a sentence: `4h20m of focus time in 12 sessions, the first on Sun 2 Nov
    /// 2025`.
    package var text: String {
        "\(lengthText(focus)) of focus time in \(counted(sessions, "session")), the first on \(first.name)"
    }
}
