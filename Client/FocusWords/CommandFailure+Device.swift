package import CommandLineKit
package import FocusDevice
package import FocusStore
package import SystemKit

extension CommandFailure {
    /// What can't be done on this laptop, and what to do about it.
    package init(_ failure: DeviceFailure) {
        switch failure {
        case .homeless:
            self.init(
                "Neither FOCUS_HOME nor HOME says where the log belongs. Set FOCUS_HOME to a folder.")
        case .noFolder(let path):
            self.init(
                "\(path) can't be a folder, as a file is in its place. Set FOCUS_HOME to a folder, or move the file away."
            )
        case .system(let error): self.init(error)
        case .store(let error, let path): self.init(error, path)
        case .noCopy(let error): self.init("\(error).")
        case .key(let trouble, let path):
            self.init("\(trouble.sentence(path)) \(DeviceFailure.KeyTrouble.remedy).")
        case .inGroup:
            self.init(
                "This laptop is in a group already. Leave that first, and then join with an invite to the other one. "
                    + "'focus join INVITE' in a terminal takes this group to another server.", .notNow)
        case .inNoGroup:
            self.init("This laptop is in no group. 'focus join INVITE' makes it part of one.", .notNow)
        }
    }
}

extension DeviceFailure {
    /// What can't be done on this laptop, and what to do about it, as sentences.
    package var explanation: String { CommandFailure(self).message }
}

/// Does what may fail on this laptop, and says how it failed as a command's failure.
package func told<Result>(
    _ body: () throws(DeviceFailure) -> Result
) throws(CommandFailure) -> Result {
    do throws(DeviceFailure) {
        return try body()
    } catch {
        throw CommandFailure(error)
    }
}

extension DeviceFailure.KeyTrouble {
    /// What is wrong with the key's file, which is at this path.
    package func sentence(_ path: String) -> String {
        switch self {
        case .gone: "\(path) is gone: this laptop can't prove who it is."
        case .another: "\(path) holds another key than the one that the group knows this laptop by."
        }
    }

    /// What mends either.
    package static let remedy =
        "Put the right file back. Without it, leave the group, which keeps a copy of the log, and join it again: focus leave"
}

extension CommandFailure {
    /// What is wrong with the device's log at `path`, and what to do about it.
    package init(_ error: StoreError, _ path: String) {
        self.init("\(CommandFailure.sentence(error, path))")
    }

    private static func sentence(_ error: StoreError, _ path: String) -> String {
        switch error.code {
        case .missing: "There is no log at \(path) yet."
        case .notAllowed:
            "The log at \(path) can't be opened: \(error). It and its folder must be yours to write."
        case .damaged:
            "The log at \(path) is damaged: \(error). Move it away; after that 'focus join INVITE' gets the group's "
                + "log anew, and 'focus import FILE' one that was exported."
        case .newer:
            "The log at \(path) was written by a newer version of focus: \(error). Upgrade this one."
        case .notUpgraded:
            "Nothing was changed in the log at \(path): \(error). Make room on the disk, or see to it that the folder "
                + "is yours to write."
        case .older: "The log at \(path) was written by an older version of focus, and can't be written now."
        case .foreign: "\(path) is another program's. Set FOCUS_HOME to a folder of its own."
        case .busy: "Another process has kept the log at \(path) busy for too long. Try again."
        case .noLocks:
            "The log at \(path) can't be locked: its file system has no locks, as NFS without its lock service. Nothing was "
                + "changed. Start that service, or set FOCUS_HOME to a folder on a disk of this machine."
        case .full: "The disk is full, so nothing was changed in the log at \(path)."
        case .disk: "The disk with the log at \(path) fails: \(error)."
        case .noStampLeft:
            "The log at \(path) holds an event of the year 6429, after which there can be none."
        case .tooLong: "That text is too long."
        case .refused, .failed: "The log at \(path) can't be used: \(error)."
        }
    }
}

extension DeviceStore {
    /// What was done to a log of an older version as it was opened; nil where nothing was.
    package var upgradeSentence: String? {
        upgrade.map {
            "The log was brought from version \($0.from) to \($0.to). As it was, it is kept in \($0.copy)."
        }
    }
}

extension Device {
    /// Runs `body` on this device, and says what goes wrong with its log as a command's failure.
    package func using<Result>(
        _ body: (Device) throws(StoreError) -> Result
    ) throws(CommandFailure) -> Result {
        try told { () throws(DeviceFailure) in try attempt(body) }
    }
}

extension CommandFailure {
    /// A call of the system that failed.
    package init(_ error: SystemError) { self.init("\(error).") }
}

extension CommandFailure {
    /// Why a word stands for no laptop that it could be done to, and what to type instead.
    init(_ failure: DeviceKeys.Failure) {
        switch failure {
        case .unknown(let word, let known):
            let laptops = known.isEmpty ? "" : " Its laptops: \(known.joined(separator: ", "))."
            self.init("The group has no laptop called \(word).\(laptops)")
        case .ambiguous(let word, let count, let digits):
            self.init(
                "\(count) laptops are called \(word). Say which one by the digits of its key: "
                    + "\(digits.joined(separator: ", ")).")
        case .thisOne: self.init("That is this laptop. To leave the group: focus leave.", .notNow)
        case .hasLeft(let title): self.init("\(title) has left the group.", .notNow)
        case .notThere(let title, let wanted): self.init("\(title) \(wanted.lack)", .notNow)
        }
    }
}

extension DeviceKeys.Wanted {
    /// What is wrong with a laptop that isn't so, to be read after its name.
    fileprivate var lack: String {
        switch self {
        case .inGroup: "was shut out before."
        case .acceptable:
            "is shut out, or known by no name. 'focus devices readmit NAME' takes a revocation back first."
        case .shutOut: "isn't shut out."
        }
    }
}

extension Device {
    /// Finds laptops of the group for a command that names them.
    package func found<Result>(
        _ find: (DeviceKeys) throws(DeviceKeys.Failure) -> Result
    ) throws(CommandFailure) -> Result {
        try told { () throws(DeviceFailure) in try requireGroup() }
        let keys = try using { device throws(StoreError) in try DeviceKeys(device) }
        do throws(DeviceKeys.Failure) {
            return try find(keys)
        } catch {
            throw CommandFailure(error)
        }
    }
}
