package import FocusNet
package import FocusServerStore
package import FocusWriter

/// What the operator may set (docs/operations.md): each has an entry in `Setting.all`. As it is made, the defaults.
package struct ServerSettings: Hashable, Sendable {
    /// Where its store is.
    package var store = StorePlace.folder
    /// Where it listens; nil for every address, at the port that invites name.
    package var listen: Address?
    /// From where each connection begins with what a proxy says of it.
    package var proxies: [AddressRange] = []
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

/// Where metrics and health are served.
package enum MetricsPlace: Hashable, Sendable {
    /// At the usual port of 127.0.0.1, or nowhere where somebody has that already.
    case auto
    case nowhere
    /// There, at the usual port where it names none.
    case at(Address)

    /// The usual port.
    static let port: UInt16 = 7854

    /// Where to listen; nil for nowhere.
    var address: Address? {
        switch self {
        case .auto: Address("127.0.0.1")
        case .nowhere: nil
        case .at(let address): address
        }
    }
}

extension Address {
    /// The text that it is read from.
    package var text: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}
