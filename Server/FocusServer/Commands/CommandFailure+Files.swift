import CommandLineKit
import FocusServerFiles
import FocusServerStore
import SQLiteKit
import SystemKit

// What a person is told of what went wrong below the commands: one place for all of these sentences.
extension CommandFailure {
    /// What a person is told of an error.
    static func about(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
        case let failure as SystemError: CommandFailure("\(failure).")
        case let failure as FileFailure: CommandFailure(failure)
        case let failure as FolderFailure: CommandFailure(failure)
        case let failure as BackupFailure: CommandFailure(failure)
        case let failure as CopyFailure: CommandFailure(failure)
        default: CommandFailure("\(error)")
        }
    }

    /// The failure that the last failed call left in `errno`; `what` is as in "/srv/focusd can't be made".
    init(errno what: String) { self.init(what, reason: errno) }

    private init(_ what: String, reason: Int32) {
        let words = strerror(reason).map { String(cString: $0) } ?? "error \(reason)"
        self.init("\(what): \(words).")
    }

    private init(_ failure: FileFailure) {
        let path = failure.path
        let what =
            switch failure.step {
            case .open: "\(path) can't be opened"
            case .read: "\(path) can't be read"
            case .make: "\(path) can't be made"
            case .makeArchive: "\(path), the folder for backups, can't be made"
            case .makePart: "A folder for \(path) can't be made beside it"
            case .move(let folder): "\(path) can't be moved to \(folder)"
            }
        self.init(what, reason: failure.reason)
    }

    private init(_ failure: FolderFailure) {
        switch failure {
        case .noHome:
            self.init("There is no home folder to keep data in. Name a folder with --data.", .usage)
        case .noServer(let folder):
            self.init(
                "There is no server in \(folder.path) yet. This makes one: \(folder.command("init"))")
        case .isServed(let folder):
            self.init(
                "Another focusd serves from \(folder.path). Stop it first, or name another folder with --data."
            )
        case .isServedByOlder(let folder, let error):
            self.init(
                "The focusd that serves from \(folder.path) is older than this one: its store has version "
                    + "\(error.found), and this focusd brings it to version \(error.known). Restart the server "
                    + "first.")
        case .noKey(let file):
            self.init("\(file) has gone. Without it no laptop knows this server.")
        }
    }

    private init(_ failure: CopyFailure) {
        switch failure {
        case .isDamaged(let problems):
            self.init("It is damaged:\n  " + problems.map(\.sentence).joined(separator: "\n  "))
        case .hasNoKey: self.init("The backup has no server's key in it.")
        }
    }

    private init(_ failure: BackupFailure) {
        let message =
            switch failure {
            case .exists(let path):
                "\(path) is there already. Give the backup another name: nothing is written over."
            case .unwritable(let path, let error):
                "The backup can't be written to \(path): \(error). Nothing is left of it."
            case .storeIsDamaged(let problem):
                "The store is damaged, so no backup was kept of it ('focusd verify' says more): "
                    + problem.sentence
            case .keysChanged: "The server's keys changed meanwhile. Make the backup again."
            case .noRoom(let folder, let needed, let free):
                "There is no room for a backup in \(folder): it takes about \(needed >> 20) MiB, and "
                    + "\(free >> 20) MiB are free."
            case .isNotWhole(let path, let error): "\(path) is no whole backup of focusd: \(error)."
            case .isForeign(let path, let error):
                "\(path) is no backup that this focusd can read: \(error)."
            case .wouldReplace(let path, let folder):
                "There is a server in \(folder.path) already. This moves it aside first: "
                    + folder.command("restore \(ShellWord.quoted(path)) --replace")
            case .keyExists(let path): "\(path) was made meanwhile."
            }
        self.init(message)
    }
}

extension DataFolder {
    /// A command for this same server, as it is typed: `focusd serve --data /srv/focusd`.
    func command(_ words: String) -> String {
        "focusd \(words)" + (isNamed ? " --data \(ShellWord.quoted(path))" : "")
    }
}
