package import CommandLineKit
package import FocusDevice
package import FocusStore

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
            "The log at \(path) is damaged: \(error). Move it away; after that 'focus join' gets the group's "
                + "log anew, and 'focus import' one that was exported."
        case .newer:
            "The log at \(path) was written by a newer version of focus: \(error). Upgrade this one."
        case .notUpgraded:
            "Nothing was changed in the log at \(path): \(error). Make room on the disk, or see to it that the folder "
                + "is yours to write."
        case .older: "The log at \(path) was written by an older version of focus, and can't be written now."
        case .foreign: "\(path) is another program's. Set FOCUS_HOME to a folder of its own."
        case .busy: "Another process has kept the log at \(path) busy for too long. Try again."
        case .full: "The disk is full, so nothing was changed in the log at \(path)."
        case .disk: "The disk with the log at \(path) fails: \(error)."
        case .noStampLeft:
            "The log at \(path) holds an event of the year 6429, after which there can be none."
        case .tooLong: "That text is too long."
        case .refused, .failed: "The log at \(path) can't be used: \(error)."
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
