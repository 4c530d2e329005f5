package import CommandLineKit
package import FocusDevice
package import FocusStore

extension CommandFailure {
    /// The message for a failure on this laptop, with its remedy.
    package init(_ failure: DeviceFailure) {
        switch failure {
        case .homeless:
            self.init(
                "Neither FOCUS_HOME nor HOME says where the log belongs. Set FOCUS_HOME to a folder.")
        case .noFolder(let path):
            self.init(
                "\(path) can't be a folder, because there is a file of that name. Set FOCUS_HOME to a folder, or move the file away."
            )
        case .system(let action, let code): self.init(action, systemCode: code)
        case .store(let error, let path): self.init(error, path)
        case .noCopy(let error): self.init("\(error).")
        case .key(let trouble, let path):
            self.init("\(trouble.sentence(path)) \(DeviceFailure.KeyTrouble.remedy).")
        case .inGroup:
            self.init(
                "This laptop is in a group already. Leave that first, and then join with an invite to the other one. "
                    + "To take this group to another server, in a terminal: focus join INVITE.", .notNow)
        case .inNoGroup:
            self.init("This laptop is in no group. 'focus join INVITE' makes it part of one.", .notNow)
        }
    }
}

extension DeviceFailure {
    /// The failure and its remedy, as sentences for a person.
    package var explanation: String { CommandFailure(self).message }
}

/// Runs `body` and rethrows a `DeviceFailure` as the `CommandFailure` with its message.
package func mapFailure<Result>(
    _ body: () throws(DeviceFailure) -> Result
) throws(CommandFailure) -> Result {
    do throws(DeviceFailure) {
        return try body()
    } catch {
        throw CommandFailure(error)
    }
}

extension DeviceFailure.KeyTrouble {
    /// The sentence that says what is wrong with the key file at `path`.
    package func sentence(_ path: String) -> String {
        switch self {
        case .gone: "\(path) is gone: this laptop can't prove who it is."
        case .another: "\(path) holds another key than the one that the group knows this laptop by."
        }
    }

    /// The remedy for both cases, without a full stop.
    package static let remedy =
        "Put the right file back. Without it, leave the group, which keeps a copy of the log, and join it again: focus leave"
}

extension CommandFailure {
    /// The message for an error of the device's log at `path`, with its remedy.
    package init(_ error: StoreError, _ path: String) {
        self.init("\(CommandFailure.sentence(error, path))")
    }

    private static func sentence(_ error: StoreError, _ path: String) -> String {
        switch error.code {
        case .missing: "There is no log at \(path) yet."
        case .notAllowed:
            "The log at \(path) can't be opened: \(error). You must be able to write it and its folder."
        case .damaged:
            "The log at \(path) is damaged: \(error). Move it away. After that 'focus join INVITE' gets the group's "
                + "log again, and 'focus import FILE' an exported one."
        case .newer:
            "The log at \(path) was written by a newer version of focus: \(error). Upgrade this one."
        case .notUpgraded:
            "Nothing was changed in the log at \(path): \(error). Make room on the disk, or make the folder "
                + "writable for you."
        case .older: "The log at \(path) was written by an older version of focus, and can't be written now."
        case .foreign: "\(path) belongs to another program. Set FOCUS_HOME to a folder of its own."
        case .busy: "Another process has kept the log at \(path) busy for too long. Try again."
        case .noLocks:
            "The log at \(path) can't be locked: its file system has no locks, like NFS without its lock service. Nothing was "
                + "changed. Start that service, or set FOCUS_HOME to a folder on a disk of this machine."
        case .full: "The disk is full, so nothing was changed in the log at \(path)."
        case .disk: "The disk with the log at \(path) fails: \(error)."
        case .noStampLeft:
            "The log at \(path) has an event at the end of the year 6429, after which no change is possible."
        case .tooLong: "That text is too long."
        case .refused, .failed: "The log at \(path) can't be used: \(error)."
        }
    }
}

extension DeviceStore {
    /// The sentence about a log that was upgraded from an older version when it was opened; nil if it wasn't.
    package var upgradeSentence: String? {
        upgrade.map {
            "The log was upgraded from version \($0.from) to \($0.to). A copy of the old one is in \($0.copy)."
        }
    }
}

extension Device {
    /// Runs `body` on this device. Rethrows an error of its log as a `CommandFailure`.
    package func using<Result>(
        _ body: (Device) throws(StoreError) -> Result
    ) throws(CommandFailure) -> Result {
        try mapFailure { () throws(DeviceFailure) in try attempt(body) }
    }
}

extension CommandFailure {
    /// The message for a word that names no laptop on which the command can act, with the right words to
    /// type.
    init(_ failure: DeviceSelector.Failure) {
        switch failure {
        case .unknown(let word, let known):
            let laptops = known.isEmpty ? "" : " Its laptops: \(known.joined(separator: ", "))."
            self.init("The group has no laptop called \(word).\(laptops)")
        case .ambiguous(let word, let count, let digits):
            self.init(
                "\(count) laptops are called \(word). Say which one by the digits of its key: "
                    + "\(digits.joined(separator: ", ")).")
        case .thisOne: self.init("That is this laptop. To leave the group, use 'focus leave'.", .notNow)
        case .hasLeft(let title): self.init("\(title) has left the group.", .notNow)
        case .notThere(let title, let wanted): self.init("\(title) \(wanted.mismatchReason)", .notNow)
        }
    }
}

extension DeviceSelector.RequiredState {
    /// The reason why a laptop isn't what the command wants, to be read after its name.
    fileprivate var mismatchReason: String {
        switch self {
        case .inGroup: "was shut out before."
        case .acceptable:
            "is shut out, or known by no name. 'focus devices readmit NAME' takes a revocation back first."
        case .shutOut: "isn't shut out."
        }
    }
}

extension Device {
    /// Calls `find` with the laptops of the group.
    ///
    /// - Throws: `CommandFailure` if the device is in no group, if its log can't be read, or if `find` fails.
    package func select<Result>(
        _ find: (DeviceSelector) throws(DeviceSelector.Failure) -> Result
    ) throws(CommandFailure) -> Result {
        try mapFailure { () throws(DeviceFailure) in try requireGroup() }
        let keys = try using { device throws(StoreError) in try DeviceSelector(device) }
        do throws(DeviceSelector.Failure) {
            return try find(keys)
        } catch {
            throw CommandFailure(error)
        }
    }
}
