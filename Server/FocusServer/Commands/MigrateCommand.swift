import CommandLineKit
import FocusCore
import FocusServerCore
import FocusServerStore
import PostgreSQLKit

/// `focusd migrate`: moves the server's store from the data folder to a database, or back.
struct MigrateCommand {
    let source: StoreLocation
    let target: StoreLocation

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let moved = try move(folder, console)
        let former = source.isInFolder ? folder.store : source.text
        let others = target.isInFolder ? "" : " and no backup-folder"
        try console.data(
            """
            All of it is there: groups \(moved.groups), events \(moved.events).
            Next: in \(folder.settings), store = \(target.text)\(others)
            Then: \(folder.command("verify")), and \(folder.startCommand())
            \(former) is as it was. Put it away then, so that no server ever starts from it.

            """)
    }

    private func move(_ folder: DataFolder, _ console: FocusdProgram.Console) throws -> StoreMove.Progress {
        // If there are many groups, only some of them are reported.
        func isSaid(_ progress: StoreMove.Progress) -> Bool {
            progress.groups == progress.total
                || progress.groups.isMultiple(of: max(1, progress.total / MigrateCommand.words))
        }
        var named = folder
        named.place = source.isInFolder ? target : source
        do {
            return try folder.moveStore(from: source, to: target, now: ServerClock.wall()) { progress in
                guard isSaid(progress) else { return }
                console.messages(
                    "Moved: groups \(progress.groups) of \(progress.total), events \(progress.events).\n")
            } recordMove: {
                try AuditLog(folder).write("store-moved", [("from", source.text), ("to", target.text)])
            }
        } catch let error as PostgreSQLError {
            throw CommandFailure(error, named)
        } catch let error as PostgreSQLSchemaError {
            throw CommandFailure(error, named)
        }
    }

    /// The approximate number of progress messages.
    private static let words = 20
}
