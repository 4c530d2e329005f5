import CommandLineKit
import FocusStore
import Glibc

/// `focus leave`: parts from the group, keeping a copy of its log that can be read.
struct LeaveCommand: WritingCommand {
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        guard try device.using({ device throws(StoreError) in try device.store.group() }) != nil else {
            throw CommandFailure("This laptop is in no group. 'focus join' makes it part of one.", .notNow)
        }
        let now = try device.using { device throws(StoreError) in try device.now() }
        let copy: Home
        do throws(SystemError) {
            copy = try device.home.makeKept(at: LocalTime(now))
        } catch {
            throw CommandFailure(error)
        }
        do throws(CommandFailure) {
            try device.using { device throws(StoreError) in
                try device.store.startOver(keepingCopyAt: copy.database)
            }
        } catch {
            rmdir(copy.data)
            throw error
        }
        chmod(copy.database, 0o400)
        context.console.say(
            """
            This laptop has left the group and starts anew, alone. A copy of the group's log is kept:
              FOCUS_HOME='\(copy.data)' focus log
            shows it.
            """)
    }
}

extension Home {
    /// Makes the folder of a log that is kept for reading, named after the day.
    fileprivate func makeKept(at time: LocalTime) throws(SystemError) -> Home {
        let name = "\(data)/left-\(time.day.iso)"
        var number = 1
        while true {
            let folder = number == 1 ? name : "\(name)-\(number)"
            if mkdir(folder, 0o700) == 0 { return Home(folder: folder) }
            guard errno == EEXIST else { throw SystemError("\(folder) can't be made") }
            number += 1
        }
    }
}
