package import FocusCore
package import FocusServerStore

/// A request to the writer that is only made if several servers share the store.
package enum SharedStoreRequest: Sendable {
    /// Other servers have made these changes in the store. Read them, except the logs of groups without a
    /// connection here (`follow`). Then answer `caughtUp` if a connection waits for the changes.
    case news(StoreNews, for: ConnectionID?)
    /// A device of the group is connected here from now on, so read changes of other servers at once. If a
    /// connection waits for them, answer `caughtUp` when all are read.
    case follow(GroupID, for: ConnectionID?)
    /// No device of the group is connected here any more, so changes of other servers needn't be read.
    case unfollow(GroupID)
    /// Servers that share the store are gone. Find out which.
    case forgetGoneServers
}
