package import CommandLineKit
package import FocusDevice

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
        case .key(let trouble, let path): self.init("\(trouble.sentence(path)) \(trouble.remedy).")
        case .inGroup:
            self.init(
                "This laptop is in a group already. Leave that first, and then join with an invite to the other one. "
                    + "'focus join' in a terminal takes this group to another server.", .notNow)
        case .inNoGroup:
            self.init("This laptop is in no group. 'focus join' makes it part of one.", .notNow)
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
