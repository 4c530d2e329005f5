import CommandLineKit
import FocusCore
package import FocusSync

/// Something that happened while syncing and that a person should know.
package enum SyncNotice: Hashable, Sendable, CustomStringConvertible {
    /// What the device did by itself on returning.
    case returned([Returned])
    /// This many presses were on a branch of the log that the group doesn't have; they were moved to one of
    /// their own.
    case branchMoved(count: Int)
    /// So many events that can't be read were on a branch of the log that the group doesn't have; they are put aside
    /// until their key comes.
    case putAside(count: Int)
    /// Another machine writes as this one: a copy of it, or itself before it was restored.
    case cloned
    /// This many presses lay in the future, since this device's clock was wrong; they were written anew.
    case reauthored(count: Int)
    /// The log has events under the names of these laptops that the group's key doesn't open.
    case damaged(by: [String])
    case stopped(RefusalCode)
    /// The server doesn't take a device of the group that this one told it of.
    case unlisted(Refusal)
    /// Shared time seems to have jumped by so many seconds; this device doesn't follow.
    case clockJumped(seconds: Int64)
    case clockNotSure
    /// The group has a new key, which these laptops, that were shut out or have left, don't get.
    case keyChanged(without: [String])
    /// The group's new key is for these laptops too, which no earlier one was made for.
    case newcomers([String])
    /// These laptops have shown themselves under a key from before a revocation, and get no newer one until a person
    /// accepts them.
    case latecomers([String])
    /// The server doesn't keep the new key that this laptop made for the group.
    case keyUnchanged(Refusal)
    /// So many new keys of the group can't be used.
    case badEpochs(count: Int)
    /// What was done about time that this laptop slept through.
    case woke(Waking.Deed)
    /// What was recorded alone was written into the log of the group that was joined.
    case tookAlong(CarriedHistory.Extent)
    /// What was recorded alone isn't in the group that was joined, but in a copy.
    case leftBehind(CarriedHistory.Extent, copy: Home)

    /// Whether it is about presses that contradicted each other.
    var isAboutConflict: Bool {
        switch self {
        case .returned, .branchMoved, .cloned, .reauthored, .woke(.tookBack): true
        case .putAside, .damaged, .stopped, .unlisted, .clockJumped, .clockNotSure, .keyChanged, .newcomers,
            .latecomers,
            .keyUnchanged, .badEpochs, .woke(.paused), .tookAlong, .leftBehind:
            false
        }
    }

    /// Whether it is about who has the group's key: it is said wherever it comes up.
    var isAboutKey: Bool {
        switch self {
        case .keyChanged, .newcomers, .latecomers: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .returned(let deeds): deeds.map(\.text).joined(separator: " ")
        case .branchMoved(let count):
            "This laptop's log had parted from the group's. What was changed here since (\(changes(count))) is kept, on a branch of its own."
        case .putAside(let count):
            "This laptop had \(count == 1 ? "1 change" : "\(count) changes") that it can't read and that the server has otherwise. They are put aside until their key comes."
        case .cloned:
            "Another machine writes as this laptop: a copy of it, or itself before a restore. This laptop goes on under a new name in the log."
        case .reauthored(let count):
            "This laptop's clock was ahead: \(changes(count)) in the future got the right time."
        case .damaged(let names):
            "Something written as \(names.joined(separator: ", ")) is damaged or forged: the group's key doesn't open it. Every laptop leaves it out; 'focus doctor' counts such changes."
        case .stopped(let code): SyncNotice.text(code)
        case .unlisted(let refusal):
            "A laptop of the group can't use the server. \(refusal.explanation)"
        case .clockJumped(let seconds):
            "The server's clock jumped by \(seconds) s. This laptop keeps the time it had; whoever runs the server should look at its clock."
        case .keyChanged(let names):
            "The group has a new key: \(names.joined(separator: ", ")) can't read what is changed from now on."
        case .newcomers(let names):
            "The group's new key is also for \(names.joined(separator: ", ")), for the first time. Whoever should not be in the group is shut out by 'focus devices revoke'."
        case .latecomers(let names):
            "\(names.joined(separator: ", ")) came with an old key of the group, from before a laptop was shut out, and isn't given the new one. If you know whose it is: focus devices accept NAME. If not: focus devices revoke NAME."
        case .keyUnchanged(let refusal):
            "The server doesn't take a new key for the group, which keeps the old one for now. \(refusal.explanation)"
        case .badEpochs(let count):
            "\(count == 1 ? "A new key of the group" : "\(count) new keys of the group") can't be used: damaged, or made by nobody of the group. This laptop goes on with the key that it has."
        case .woke(.paused(let ago)):
            "This laptop slept, and the session is paused as of \(lengthText(ago)) ago. 'focus undo' counts the time after all."
        case .woke(.tookBack):
            "The pause that this laptop made on waking was taken back, as others were there while it slept."
        case .tookAlong(let extent): "What was recorded here alone came along: \(extent)."
        case .leftBehind(let extent, let copy):
            """
            What was recorded here alone was left behind: \(extent).
              FOCUS_HOME=\(ShellWord.quoted(copy.data)) focus export | focus import -
            takes it into the group later.
            """
        case .clockNotSure:
            "The server isn't sure of its clock and takes nothing new. Whoever runs it finds what to do in 'focusd status'. Changes are kept here meanwhile."
        }
    }

    private static func text(_ code: RefusalCode) -> String {
        switch code {
        case .clockAhead:
            "The server finds some changes too far in the future. They are kept here and tried again."
        case .clockNotSure: SyncNotice.clockNotSure.description
        case .unknownEpoch:
            "The server doesn't know the key that some changes were sealed under. They are kept here and tried again."
        case .rate:
            "Too much was written at once for the server. Changes are kept here and sent little by little."
        case .groupFull:
            "The group's log is as long as the server lets it be: whoever runs it can raise the limit. Changes are kept here and tried again."
        case .noRoom:
            "The server's disk is full: whoever runs it has to make room. Changes are kept here and tried again."
        case .internal:
            "The server couldn't store some changes; its log says why. They are kept here and tried again."
        default:
            "The server hasn't taken some changes yet (code \(code.rawValue)). They are kept here and tried again."
        }
    }
}

private func changes(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }

extension Console {
    /// Says what a person should know.
    func say(_ notices: [SyncNotice]) { for notice in notices { say(notice.description) } }
}
