import FocusCore
import FocusLink

extension SyncNotice.Returned {
    private static func hint(_ canRedo: Bool, _ presses: [Press]) -> String {
        canRedo ? "; 'focus redo' restores \(presses.count == 1 ? "it" : "them")" : ""
    }

    /// Which presses they are, as far as a sentence can tell.
    private static func named(_ presses: [Press]) -> String {
        var named = presses.prefix(3).map {
            "the \($0.action.words) of \(AgoText.text($0.ago))"
        }
        if presses.count > named.count { named.append("\(presses.count - named.count) more") }
        let last = named.popLast() ?? ""
        let list = named.isEmpty ? last : "\(named.joined(separator: ", ")) and \(last)"
        return list.prefix(1).uppercased() + list.dropFirst()
    }

    /// What was done, as a person reads it.
    package var sentence: String {
        switch self {
        case .stoppedOwn:
            "The session begun here while offline was ended, as the others have one; its time is in the history."
        case .adopted: "The session begun here while offline is everyone's now."
        case .closed(let name):
            "Nobody had been at \(name)'s session since then, so it was ended as of when this one began; 'focus undo' brings it back."
        case .joined(let name): "\(name) started first: you are in that session."
        case .tookBack(let presses, let canRedo):
            "\(SyncNotice.Returned.named(presses)), made here while offline, \(presses.count == 1 ? "was" : "were") taken back, as others pressed since\(SyncNotice.Returned.hint(canRedo, presses))."
        case .putBack(let presses, let canRedo):
            "\(SyncNotice.Returned.named(presses)), made here while offline, \(presses.count == 1 ? "was" : "were") taken back, as others went on since\(SyncNotice.Returned.hint(canRedo, presses))."
        case .setAnew(let key): "Your offline change to \(key) now applies to all laptops."
        case .wentOn: "The session goes on here, as the others have none."
        case .kept(let work):
            "\(lengthText(work)) worked here meanwhile, of which the session knows nothing, stays in the history."
        }
    }
}
