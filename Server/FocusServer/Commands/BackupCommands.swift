import CommandLineKit
import FocusServerCore
import FocusServerStore
import FocusText

/// `focusd backup`: writes the server to one file, while it runs.
struct BackupCommand {
    let path: String

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        try BackupFile(path: path).write(folder)
        try AuditLog(folder).write("backup-made", [("file", path)])
        console.messages(
            "The backup is in \(path). It contains the server's key, so keep it where nobody else can read it.\n"
        )
    }
}

/// `focusd restore`: puts the server of a backup into a data folder.
struct RestoreCommand {
    let path: String
    /// Whether a server that the folder has already is moved aside.
    let isReplacing: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let former = try BackupFile(path: path)
            .restore(into: folder, isReplacing: isReplacing, now: ServerClock.wall()) {
                try AuditLog(folder).write("backup-restored", [("file", path)])
            }
        if let former { console.messages("The previous data is now in \(former).\n") }
        console.messages(
            """
            The server is in \(folder.path) again. Its laptops send changes made after the backup again by themselves. \
            Open invites have ended.
            Next: \(folder.startCommand())

            """)
    }
}

/// `focusd verify`: checks that the store or a backup is complete and as it was acknowledged.
struct VerifyCommand {
    /// The path of a backup, or nil for the store.
    let path: String?
    let json: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let check: StoreCheck
        if let path {
            check = try BackupFile(path: path).check()
        } else {
            check = try folder.openStore(.writing).check()
        }
        let name = path ?? folder.storeName
        if json {
            let object = JSON.object([
                JSON.Member("whole", .bool(check.isWhole)),
                JSON.Member("groups", .integer(check.groups)),
                JSON.Member("events", .integer(check.events)),
                JSON.Member("problems", .array(check.problems.map { .string($0.sentence) })),
            ])
            try console.data("\(object)\n")
        } else if check.isWhole {
            try console.data("\(name) is intact. Groups: \(check.groups). Events: \(check.events).\n")
        } else {
            for problem in check.problems { try console.data("\(problem.sentence)\n") }
        }
        guard check.isWhole else {
            throw CommandFailure("\(name) is damaged. \(remedy(folder))")
        }
    }

    /// Returns the instruction for damage.
    private func remedy(_ folder: DataFolder) -> String {
        if path != nil { return "Don't restore it." }
        guard folder.place.isInFolder else { return "Restore the database from its own backups." }
        return CommandFailure.startingOver(folder)
    }
}
