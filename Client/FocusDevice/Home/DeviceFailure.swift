package import FocusStore
package import SystemKit

/// Why something can't be done on this laptop and its log. Nothing was changed.
package enum DeviceFailure: Error, Hashable, Sendable {
    /// Nothing in the environment says where the log belongs.
    case homeless
    /// Something that is no folder is where the laptop's folder belongs, at this path.
    case noFolder(String)
    /// A call of the system failed.
    case system(SystemError)
    /// The log at this path failed.
    case store(StoreError, path: String)
    /// No folder can be made for a copy of the log.
    case noCopy(StoreError)
    /// The key that the laptop's group knows it by isn't in the file at this path.
    case key(KeyTrouble, path: String)
    /// The laptop is in a group already.
    case inGroup
    /// The laptop is in no group.
    case inNoGroup

    /// What is in the place of the key.
    package enum KeyTrouble: Hashable, Sendable {
        /// Nothing: the file is gone.
        case gone
        /// Another key.
        case another
    }
}
