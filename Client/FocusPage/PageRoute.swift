/// What can be asked for at the page's addresses.
enum PageRoute {
    /// A link of `focus web`.
    case open
    /// The page itself, which only a browser that was let in gets.
    case page(PageAsset)
    /// What belongs to the page, and tells nobody anything.
    case asset(PageAsset)
    case events, press, log, statistics, devices, device, invite, join, leave, signOut

    init?(_ path: String) {
        switch path {
        case "/open": self = .open
        case "/events": self = .events
        case "/press": self = .press
        case "/log.json": self = .log
        case "/stats.json": self = .statistics
        case "/devices.json": self = .devices
        case "/device": self = .device
        case "/invite": self = .invite
        case "/join": self = .join
        case "/leave": self = .leave
        case "/sign-out": self = .signOut
        default:
            guard let asset = PageAssets.all.first(where: { $0.path == path }) else { return nil }
            self = path == "/" ? .page(asset) : .asset(asset)
        }
    }

    var method: String {
        switch self {
        case .press, .device, .invite, .join, .leave, .signOut: "POST"
        case .open, .page, .asset, .events, .log, .statistics, .devices: "GET"
        }
    }

    /// Whether anybody may ask for it.
    var isOpen: Bool {
        switch self {
        case .open, .asset: true
        case .page, .events, .press, .log, .statistics, .devices, .device, .invite, .join, .leave, .signOut:
            false
        }
    }

    /// Whether a person looks at the answer.
    var isPage: Bool {
        switch self {
        case .open, .page: true
        case .asset, .events, .press, .log, .statistics, .devices, .device, .invite, .join, .leave, .signOut:
            false
        }
    }
}
