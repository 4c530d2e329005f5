import CommandLineKit
import FocusCore
import FocusServerFiles
import FocusServerStore
import FocusServing
import FocusText
import FocusWriter

/// How the clock of this machine stands as the server sees it: the one that runs, or one that would be started.
struct ClockStanding {
    /// The machine's clock.
    let wall = ServerClock.wall()
    /// The greatest time served so far, as the store has it.
    let greatestServed: SharedInstant
    /// What is wrong, as in `ClockVerdict.trouble`; nil where the server is sure.
    let trouble: String?

    /// - Parameter running: what the server says that runs; nil where none does.
    init(_ store: any ServerSnapshot, running: RunningNotes?) throws {
        greatestServed = try store.greatestServed()
        if let running {
            trouble = running.clockTrouble
        } else {
            var clock = ClockGuard(greatestServed: greatestServed)
            trouble = clock.check(wall: SharedReading(wall), steady: .zero).trouble
        }
    }
}

/// `focusd clock`: whether the server is sure of its clock.
struct ClockCommand {
    let json: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let clock = try store.read { try ClockStanding($0, running: DataLock.notes(folder)) }
        if json {
            let object = JSON.object([
                JSON.Member("now", .instant(clock.wall)),
                JSON.Member("greatestServed", .instant(clock.greatestServed)),
                JSON.Member("sure", .bool(clock.trouble == nil)),
                JSON.Member("trouble", .optional(clock.trouble)),
            ])
            return try console.data("\(object)\n")
        }
        try console.data(
            """
            The clock says \(InstantText.name(clock.wall)).
            \(clock.greatestServed == .zero ? "No time has been served yet, as last noted." : "The greatest time served was \(InstantText.name(clock.greatestServed)), as last noted.")
            \(clock.trouble.map { "The server isn't sure of it: it \($0)." } ?? "The server is sure of it.")

            """)
        if clock.trouble != nil {
            console.messages(
                "Nothing new is accepted meanwhile, and laptops keep their changes. Set the clock right; the server notices by "
                    + "itself. If it is right now: \(folder.command("clock accept"))\n")
        }
    }
}

/// `focusd clock accept`: the machine's clock is right now, whatever was served before. A server that runs goes by it
/// within a second.
struct AcceptClockCommand {
    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let clock = try store.write { store in
            let clock = try ClockStanding(store, running: DataLock.notes(folder))
            guard let trouble = clock.trouble else {
                throw CommandFailure("The server is sure of its clock. There is nothing to accept.", .notNow)
            }
            try store.acceptClock(now: clock.wall)
            try AuditLog(folder).write(
                "clock-accepted", [("clock", trouble), ("now", InstantText.text(clock.wall))])
            return clock
        }
        console.messages(
            "The clock is accepted as right: \(InstantText.name(clock.wall)). A running server goes by it within a second.\n"
        )
    }
}
