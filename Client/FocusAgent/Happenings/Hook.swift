package import FocusCore
import FocusText
import SystemKit

/// A program of the person's that runs as something happens (`focus-hooks`(7)).
package struct Hook {
    let path: String

    /// Why a file is not run.
    package struct Refusal: Error {
        /// What is the matter, with the path and what mends it: no capital, no full stop.
        package let reason: String
    }

    /// The hook for this in a folder; nil where there is none.
    ///
    /// - Throws: `Refusal` where the file is one that somebody else could have put there or changed, or can't be run.
    package init?(for kind: Happening.Kind, in folder: String) throws(Refusal) {
        path = "\(folder)/\(kind.rawValue)"
        var file = stat()
        guard stat(path, &file) == 0 else { return nil }
        guard file.st_mode & S_IFMT == S_IFREG else { throw Refusal(reason: "\(path) is no file") }
        for (name, status) in [(folder, try Hook.status(of: folder)), (path, file)] {
            guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
                throw Refusal(reason: "\(name) can be changed by others; 'chmod go-w' and 'chown' mend that")
            }
        }
        guard access(path, X_OK) == 0 else {
            throw Refusal(reason: "\(path) can't be run; 'chmod u+x' mends that")
        }
    }

    /// Where hooks begin to work: the person's home, and where that can't be entered the root.
    static var workplace: String {
        guard let home = Environment.process["HOME"], home.hasPrefix("/"), access(home, X_OK) == 0 else {
            return "/"
        }
        return home
    }

    private static func status(of path: String) throws(Refusal) -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Refusal(reason: "\(path) can't be looked at") }
        return status
    }
}

extension Happening {
    /// What its hook finds in its environment.
    func variables(device: String, at now: SharedInstant) -> [String: String] {
        let shown = Presentation(timer)
        let presser =
            switch cause {
            case .time: ""
            case .own: device
            case .other(let name): name
            }
        return [
            "FOCUS_EVENT": kind.rawValue,
            "FOCUS_STATUS": timer.statusName,
            "FOCUS_ACTIVITY": activity.rawValue,
            "FOCUS_LABEL": shown.label,
            "FOCUS_REMAINING": "\(shown.secondsLeft)",
            "FOCUS_DEVICE": presser,
            "FOCUS_THIS_DEVICE": device,
            "FOCUS_MESSAGE": message,
            "FOCUS_TIME": InstantText.text(now),
        ].mapValues { $0.replacing("\0", with: "") }
    }
}
