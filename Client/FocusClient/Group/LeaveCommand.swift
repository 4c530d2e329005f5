package import CommandLineKit
import FocusSeal
import FocusStore
import Glibc

/// `focus leave`: parts from the group, keeping a copy of its log that can be read.
struct LeaveCommand: WritingCommand {
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let copy = try device.leave()
        context.console.say(
            """
            This laptop has left the group and starts anew, alone. A copy of the group's log is kept:
              FOCUS_HOME=\(ShellWord.quoted(copy.data)) focus log
            shows it.
            """)
    }
}

extension Device {
    /// Parts from the group, keeping a copy of its log. The rest of the group hears of it by the agent's going.
    ///
    /// A laptop that was shut out gets another key when it joins again: servers refuse the one it had, for good. So does
    /// one whose key is damaged.
    ///
    /// Returns where the copy is.
    package func leave() throws(CommandFailure) -> Home {
        guard try using({ device throws(StoreError) in try device.store.group() }) != nil else {
            throw CommandFailure("This laptop is in no group. 'focus join' makes it part of one.", .notNow)
        }
        let isShutOut = try using { device throws(StoreError) in try device.isRevoked() }
        let hasSpentKey = isShutOut || hasDamagedKey
        let copy = try startOver(keepingCopyNamed: "left")
        guard !hasSpentKey || rename(home.identity, copy.identity) == 0 || errno == ENOENT else {
            throw CommandFailure(SystemError("\(home.identity) can't be moved to \(copy.data)"))
        }
        return copy
    }

    /// Whether the file of the laptop's key holds something else.
    private var hasDamagedKey: Bool {
        do throws(SealError) {
            _ = try IdentityFile(path: home.identity).load()
            return false
        } catch {
            return error.code == .malformedKey
        }
    }
}
