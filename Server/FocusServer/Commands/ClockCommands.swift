import CommandLineKit
import FocusCore
import FocusServerCore
import FocusServerStore
import FocusServing
import FocusText

/// The state of this machine's clock as the running server judges it, or as a server would judge it at its
/// start.
struct ClockStatus {
    /// The machine's clock.
    let wall = ServerClock.wall()
    /// The greatest time that the server has served as shared time, according to the store. The server isn't
    /// sure of a clock that is more than 2 minutes behind it.
    let greatestServed: SharedInstant
    /// The problem, as in `ClockVerdict.trouble`; nil if the server is sure of the clock.
    let trouble: String?

    /// Takes the problem from the running server's notes. If no server runs, checks the clock as a server
    /// does at its start.
    ///
    /// - Parameter running: The notes of the running server; nil if none runs.
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

/// `focusd clock`: says whether the server is sure of its clock.
struct ClockCommand {
    let json: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let clock = try store.read { try ClockStatus($0, running: DataLock.notes(folder)) }
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
            \(clock.greatestServed == .zero ? "No time has been served yet, as last stored." : "The greatest time served was \(InstantText.name(clock.greatestServed)), as last stored.")
            \(clock.trouble.map { "The server isn't sure of it: it \($0)." } ?? "The server is sure of it.")

            """)
        if clock.trouble != nil {
            console.messages(
                "Nothing new is accepted meanwhile, and laptops keep their changes. Set the clock right; the server notices by "
                    + "itself. If it is right now: \(folder.command("clock accept"))\n")
        }
    }
}

/// `focusd clock accept`: accepts the machine's clock as right, even if later times were served before. A
/// running server uses it within a second.
struct AcceptClockCommand {
    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let clock = try store.write { store in
            let clock = try ClockStatus(store, running: DataLock.notes(folder))
            guard let trouble = clock.trouble else {
                throw CommandFailure("The server is sure of its clock. There is nothing to accept.", .notNow)
            }
            try store.acceptClock(now: clock.wall)
            try AuditLog(folder).write(
                "clock-accepted", [("clock", trouble), ("now", InstantText.text(clock.wall))])
            return clock
        }
        console.messages(
            "The clock is accepted as right: \(InstantText.name(clock.wall)). A running server uses it within a second.\n"
        )
    }
}
