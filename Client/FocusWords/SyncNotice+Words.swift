import CommandLineKit
import FocusCore
import FocusDevice
import FocusLink
import FocusSync

extension SyncNotice {
    /// What happened and what to do, as a person reads it.
    package var sentence: String {
        switch self {
        case .returned(let deeds): deeds.map(\.sentence).joined(separator: " ")
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
        case .clockJumped(let jump):
            "The server's clock jumped by \(jump.inSeconds) s. This laptop keeps the time it had; whoever runs the server should look at its clock."
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
        case .tookAlong(let extent): "What was recorded here alone came along: \(extent.text)."
        case .leftBehind(let extent, let copy):
            """
            What was recorded here alone was left behind: \(extent.text).
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
        case .clockNotSure: SyncNotice.clockNotSure.sentence
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
