package import FocusNet
package import FocusWriter

/// What the operator may set (docs/operations.md): each has an entry in `Setting.all`. As it is made, the defaults.
package struct ServerSettings: Hashable, Sendable {
    /// Where it listens; nil for every address, at the port that invites name.
    package var listen: Address?
    /// Where metrics and health are served.
    package var metrics = MetricsPlace.auto
    /// The least that is logged.
    package var log = Log.Level.info
    /// What the server takes at most.
    package var limits = ServerLimits()
    /// The backups that it makes by itself; by default none, as no folder is named.
    package var backups = BackupSettings()

    /// The defaults of all settings.
    package init() {}
}

/// The backups that the server makes by itself.
package struct BackupSettings: Hashable, Sendable {
    /// The folder that they go to; nil for none.
    package var folder: String?
    /// From one to the next.
    package var every = Duration.seconds(86_400)
    /// How many are kept.
    package var keep = 7
}
