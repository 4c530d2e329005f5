package import FocusHTTP
package import FocusNet
package import FocusServerCore
package import FocusServerStore
package import FocusSync

/// The operator's settings (docs/operations.md), each with an entry in `Setting.all`. A new value holds the
/// defaults.
package struct ServerSettings: Hashable, Sendable {
    /// The place of the store.
    package var store = StoreLocation.folder
    /// The address to listen on. Nil for every address, at the port that invites name.
    package var listen: Address?
    /// The addresses of proxies in front of the laptops' port. A connection from one of them begins with a
    /// header that names the client's address.
    package var proxies: [AddressRange] = []
    /// The page for browsers. By default there is none, because no address is named.
    package var web = WebSettings()
    /// The address at which metrics and health are served.
    package var metrics = MetricsAddress.auto
    /// The lowest level that is logged.
    package var log = Log.Level.info
    /// The limits on clients, groups and devices.
    package var limits = ServerLimits()
    /// The automatic backups. By default there are none, because no folder is named.
    package var backups = BackupSettings()

    /// Creates the defaults of all settings.
    package init() {}
}

/// The settings of the page for browsers.
package struct WebSettings: Hashable, Sendable {
    /// The numeric address, with a port, at which browsers are served; nil for nowhere.
    package var address: Address?
    /// The address at which browsers reach the page, for laptops to name in links; nil to announce none.
    package var announced: WebAddress?
    /// The addresses of proxies in front of the page. Their requests name the client's address in
    /// `X-Forwarded-For`.
    package var proxies: [AddressRange] = []
    /// The origins of pages elsewhere that may connect.
    package var origins: [WebOrigin] = []
    /// The folder with the page's files; nil for the installed one.
    package var folder: String?

    /// Creates the defaults.
    package init() {}
}

/// The settings of the automatic backups.
package struct BackupSettings: Hashable, Sendable {
    /// The folder for the backups; nil for no backups.
    package var folder: String?
    /// The interval between two backups.
    package var every = Duration.seconds(86_400)
    /// The number of backups that are kept.
    package var keep = 7
}

/// The address at which metrics and health are served.
package enum MetricsAddress: Hashable, Sendable {
    /// The default port of 127.0.0.1, or nowhere if another program already listens there.
    case auto
    case nowhere
    /// This address, at the default port if it names none.
    case at(Address)

    /// The default port.
    static let port: UInt16 = 7854

    /// The address to listen on; nil for nowhere.
    var address: Address? {
        switch self {
        case .auto: Address("127.0.0.1")
        case .nowhere: nil
        case .at(let address): address
        }
    }
}

extension Address {
    /// The text that parses to this address.
    package var text: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}
