import CommandLineKit
import FocusCore
import FocusServerStore
import PostgreSQLKit
import SQLiteKit
import SystemKit

// All messages about errors of the layers below the commands, in one place.
extension CommandFailure {
    /// Returns the failure with the message for an error.
    static func about(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
        case let failure as SystemError: CommandFailure("\(failure).")
        case let failure as FolderFailure: CommandFailure(failure)
        case let failure as BackupFailure: CommandFailure(failure)
        case let failure as RestoreFailure: CommandFailure(failure)
        case let failure as MoveFailure: CommandFailure(failure)
        default: CommandFailure("\(error)")
        }
    }

    /// A failure with the `errno` of the last failed call.
    ///
    /// - Parameter what: A clause for people, such as "/srv/focusd can't be made".
    init(errno what: String) { self.init("\(SystemError(what)).") }

    private init(_ failure: FolderFailure) {
        switch failure {
        case .noHome:
            self.init("There is no home folder to keep data in. Name a folder with --data.", .usage)
        case .noServer(let folder):
            self.init(
                "There is no server in \(folder.path). If yours is in another folder, name that with --data. If there is "
                    + "none yet, this makes one: \(folder.command("init"))")
        case .isAmbiguous(let folder, let other):
            self.init(
                "There is a server in \(other.path), and none in \(folder.path). Name one of them with "
                    + "--data. This starts the first: \(other.startCommand())", .usage)
        case .isServed(let folder):
            self.init(
                "Another focusd serves from \(folder.path). Stop it first, or name another folder with --data."
            )
        case .isServedByOlder(let folder, let error):
            self.init(
                "The focusd that serves from \(folder.path) is older than this one: its store has version "
                    + "\(error.found), and this focusd would upgrade it to version \(error.known). Restart the "
                    + "server first.")
        case .noKey(let folder):
            let backup =
                folder.place.isInFolder
                ? ", or restore a backup, which has it: \(folder.command("restore FILE --replace"))" : ""
            self.init(
                "\(folder.identity) is gone, and laptops know the server by it. Put it back\(backup). Without it, this "
                    + "makes another key, and each laptop joins again with a new invite: \(folder.command("init"))"
            )
        case .noStore(let folder):
            self.init(
                "\(folder.store) is gone. Put it back, or restore a backup: \(folder.command("restore FILE --replace")). "
                    + "Without one, laptops that join with new invites bring everything back after this: "
                    + folder.command("init --address HOST"))
        }
    }

    private init(_ failure: RestoreFailure) {
        switch failure {
        case .isDamaged(let problems):
            self.init("It is damaged:\n  " + problems.map(\.sentence).joined(separator: "\n  "))
        case .hasNoKey: self.init("The backup doesn't contain the server's key.")
        }
    }

    private init(_ failure: MoveFailure) {
        switch failure {
        case .hasContent:
            self.init(
                "There is a store in the target already, so nothing was moved. Move to an empty database, or to a "
                    + "folder without focusd.db and focusd.db-wal.")
        case .isInUse:
            self.init(
                "A focusd is connected to the database. Stop the server first, and any other command that uses the database."
            )
        case .isDamaged(let problems):
            self.init(
                "A group is damaged, so it wasn't moved:\n  "
                    + problems.map(\.sentence).joined(separator: "\n  "))
        case .differs(let group):
            self.init("The group \(group.short) changed in the move, so it wasn't moved.")
        case .isNoMove: self.init("Move from the folder to a database, or from a database.", .usage)
        }
    }

    private init(_ failure: BackupFailure) {
        let message =
            switch failure {
            case .exists(let path):
                "\(path) exists already. Give the backup another name: existing files aren't overwritten."
            case .unwritable(let path, let error):
                "The backup can't be written to \(path): \(error). The incomplete file was deleted."
            case .storeIsDamaged(let problem, let folder):
                "The store is damaged, so no backup was made (\(folder.command("verify")) says more): "
                    + problem.sentence
            case .keysChanged: "The server's keys changed meanwhile. Make the backup again."
            case .noRoom(let folder, let needed, let free):
                "There is no room for a backup in \(folder): it takes about \(needed >> 20) MiB, and "
                    + "\(free >> 20) MiB are free."
            case .isNotWhole(let path, let error): "\(path) isn't a complete backup of focusd: \(error)."
            case .isForeign(let path, let error):
                "\(path) isn't a backup that this focusd can read: \(error)."
            case .wouldReplace(let path, let folder):
                "There is a server in \(folder.path) already. This moves it aside first: "
                    + folder.command("restore \(ShellWord.quoted(path)) --replace")
            case .isInDatabase(let folder):
                "The store is in \(folder.storeName). Back it up with the database's own tools: pg_dump, or its "
                    + "archive for point-in-time recovery. Also copy the files in \(folder.path): above all the "
                    + "server's key, identity.pem, which isn't in the database, and focusd.conf."
            case .targetIsDatabase(let folder):
                "The store is in \(folder.storeName). Stop the server, and restore the database with its own "
                    + "tools: pg_restore or psql, or its archive for point-in-time recovery. If identity.pem "
                    + "or focusd.conf is gone from \(folder.path), put its copy back. A backup file "
                    + "can be restored only if focusd.conf names no 'store'."
            case .keyExists(let path): "\(path) was made meanwhile."
            }
        self.init(message)
    }
}

extension DataFolder {
    /// Returns a command for this server, in the form that an operator types: `focusd serve --data
    /// /srv/focusd`.
    func command(_ words: String) -> String {
        "focusd \(words)" + (isNamed ? " --data \(ShellWord.quoted(path))" : "")
    }

    /// Returns the command that starts this server. For systemd's service, that isn't `focusd serve`: run by
    /// root, `focusd serve` would leave files that the service can't open.
    ///
    /// - Parameter isSystemd: Whether systemd runs the services of this machine (sd_booted(3)).
    func startCommand(isSystemd: Bool = access("/run/systemd/system", F_OK) == 0) -> String {
        isSystemd && path == DataFolder.ofService ? "systemctl start focusd" : command("serve")
    }
}

extension CommandFailure {
    /// A failure that says what is wrong with the server's store in `folder`, and what to do about it.
    init(_ error: SQLiteError, _ folder: DataFolder) {
        self.init(CommandFailure.sentence(error, folder))
    }

    private static func sentence(_ error: SQLiteError, _ folder: DataFolder) -> String {
        let path = folder.store
        return switch error.code {
        case _ where error.isOutOfSpace:
            "The disk with \(path) is full, so nothing was changed. Make room on it."
        case _ where error.isLockingUnsupported:
            "\(path) can't be locked: its file system has no locks, like NFS without its lock service. Keep the data on a disk "
                + "of this machine."
        case .permission, .readOnly, .cannotOpen:
            "\(path) can't be opened: \(error). It and its folder must be writable by the server's user."
        case .corrupt, .notADatabase:
            "\(path) is damaged: \(error). \(startingOver(folder))"
        case .inputOutput: "The disk with \(path) fails: \(error)."
        default: "\(path) can't be used: \(error)."
        }
    }

    /// Returns the instruction for a store that can't be used.
    static func startingOver(_ folder: DataFolder) -> String {
        "Restore a backup (\(folder.command("restore FILE --replace"))), or move it away: laptops that join with new invites "
            + "bring everything back after this: " + folder.command("init --address HOST")
    }

    /// A failure that says why this program can't use the server's store in `folder`, and what to do about
    /// it.
    init(_ error: SchemaError, _ folder: DataFolder) {
        let path = folder.store
        switch error.code {
        case .newer:
            let copy = SchemaUpgrade.copy(of: path, version: error.known)
            let back =
                access(copy, F_OK) == 0
                ? " Or go back to the copy from before the upgrade: \(copy) (docs/operations.md, \"Upgrades\")."
                : ""
            self.init(
                "\(path) has version \(error.found), and this focusd knows versions up to \(error.known): a newer "
                    + "focusd has used it. Install that version, or a newer one.\(back)")
        case .older:
            self.init(
                "\(path) has version \(error.found), and this focusd needs version \(error.known). This upgrades "
                    + "it: \(folder.command("status"))")
        case .foreign:
            self.init("\(path) belongs to another program. Name another folder with --data.")
        case .altered:
            self.init("\(path) can't be used: \(error). \(CommandFailure.startingOver(folder))")
        }
    }

    /// A failure that says why the server's store in `folder` wasn't upgraded, and what to do about it.
    init(_ error: UpgradeError, _ folder: DataFolder) {
        let remedy =
            error.cause.isOutOfSpace
            ? "Make room on the disk." : "The folder must be writable by the server's user."
        self.init("Nothing was changed in \(folder.path): \(error). \(remedy)")
    }
}

extension CommandFailure {
    /// A failure that says why the database of the server in `folder` can't be used, and what to do about it.
    /// Laptops that wait for the server keep their changes meanwhile.
    init(_ error: PostgreSQLError, _ folder: DataFolder) {
        let name = folder.storeName
        let sentence =
            switch error.kind {
            case .noLibrary: "\(name) can't be used: \(error.message)."
            case .address: "libpq doesn't understand the address in the setting 'store'."
            case .unreachable, .lost: "The database \(name) can't be reached: \(error.message)."
            case .unknownCommit:
                "The connection to the database \(name) broke during the commit: check whether the change was stored."
            case _ where error.isOutOfSpace:
                "The disk with the database \(name) is full, so nothing was changed. Make room on it."
            case .sharedSession:
                "The database \(name) is reached through a pooler that shares connections between transactions, and focusd needs "
                    + "its connections for itself. Name the database's own address in 'store', or set pool_mode = session "
                    + "for it (pgbouncer)."
            case .refused(.readOnly): "The database \(name) is read-only now, so nothing was changed."
            case .refused, .misuse: "The database \(name) can't be used: \(error)."
            }
        self.init(sentence)
    }

    /// A failure that says why this program can't use the database of the server in `folder`, and what to do
    /// about it.
    init(_ error: PostgreSQLSchemaError, _ folder: DataFolder) {
        let name = folder.storeName
        switch error.code {
        case .newer:
            self.init(
                "\(name) has version \(error.found), and this focusd knows versions up to \(error.known): a newer "
                    + "focusd has used it. Install that version, or a newer one.")
        case .unfinished:
            self.init(
                "Another store is being moved to \(name), and isn't complete yet. Run the same migration again: it "
                    + "continues.")
        case .inUse(let servers):
            let who =
                servers.isEmpty
                ? "a command uses it: wait until it has ended"
                : "servers use it: stop them first, \(servers.joined(separator: " and "))"
            self.init(
                "\(name) has version \(error.found), and this focusd would upgrade it to version \(error.known), but \(who). "
                    + "Nothing was changed.")
        case .older where error.found <= 0:
            self.init(
                "There is no server's store in \(name) yet. This makes one: \(folder.command("init"))")
        case .older:
            self.init(
                "\(name) has version \(error.found), and this focusd needs version \(error.known). This upgrades "
                    + "it: \(folder.startCommand())")
        }
    }
}

extension DataFolder {
    /// Returns the message about the upgrade of the store, which this program has just done.
    func sentence(on upgrade: SchemaUpgrade) -> String {
        "The store was upgraded from version \(upgrade.from) to \(upgrade.to). A copy of the old one is in "
            + "\(upgrade.copy).\n"
    }
}

extension StoreProblem {
    /// The problem in the words of `focusd verify`.
    var sentence: String {
        switch self {
        case .file(let problem): problem
        case .row(let damage): "A row can't be read: \(damage)."
        case .strayRows(let table, let count):
            "The table \(table) has \(count) rows of a group that doesn't exist."
        case .homeless(let count):
            "\(count) devices have proved themselves in groups that aren't recorded as theirs."
        case .miscounted(let group, let counts, let rows):
            "Group \(group.short): by its counts it has \(counts.words), by its rows \(rows.words)."
        case .head(let group, let replica):
            "Group \(group.short), replica \(hexadecimal(replica.rawValue)): the recorded last event isn't the stored one."
        case .events(let group, let replica, let seq, let fault):
            "Group \(group.short), replica \(hexadecimal(replica.rawValue)), from event \(seq) on: \(fault.words)."
        }
    }
}

extension StoreProblem.Fault {
    fileprivate var words: String {
        switch self {
        case .missing(let first, let last): "the events from \(first) to \(last) are missing"
        case .doubled: "the events are there twice"
        case .unreadable: "the events can't be separated"
        case .count(let count, let stored): "there are \(count) events and not \(stored)"
        case .unchained: "they don't follow the one before"
        case .stamp(let seq): "the stamp of event \(seq) doesn't rise"
        case .unknownEpoch(let seq, let epoch):
            "the epoch of event \(seq), \(hexadecimal(epoch.rawValue)), is missing"
        case .changed: "they aren't the acknowledged events: their chain differs"
        }
    }
}

extension RosterSize {
    fileprivate var words: String {
        "\(proved) devices that proved themselves (\(provedRevoked) revoked) and \(listed) that are listed (\(listedRevoked) revoked)"
    }
}
