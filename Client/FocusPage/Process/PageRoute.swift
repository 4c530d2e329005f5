package import FocusDevice

/// The routes of the page's server.
enum PageRoute {
    /// The one-time link that `focus web` prints. It signs the browser in.
    case open
    /// The page itself, for signed-in browsers only.
    case page(PageAsset)
    /// A file of the page without data of the laptop, for any browser.
    case asset(PageAsset)
    /// The calendar feed, for every program that knows the secret in its address.
    case calendar(secret: String)
    case events, signOut
    /// A request to the device.
    case device(PageRequest.Route)

    init?(_ path: String) {
        switch path {
        case "/open": self = .open
        case "/events": self = .events
        case "/sign-out": self = .signOut
        case _ where path.hasPrefix("/calendar/") && path.hasSuffix(".ics"):
            self = .calendar(secret: String(path.dropFirst("/calendar/".count).dropLast(".ics".count)))
        default:
            if let route = PageRequest.Route(rawValue: path) {
                self = .device(route)
                return
            }
            guard let asset = PageAssets.all.first(where: { $0.path == path }) else { return nil }
            self = path == "/" ? .page(asset) : .asset(asset)
        }
    }

    /// The methods of the route's requests. Some calendar programs ask with HEAD first.
    var methods: [String] {
        switch self {
        case .device(let route): [route.method]
        case .signOut: ["POST"]
        case .calendar: ["GET", "HEAD"]
        case .open, .page, .asset, .events: ["GET"]
        }
    }

    /// Whether a browser that isn't signed in may use the route.
    var isPublic: Bool {
        switch self {
        case .open, .asset, .calendar: true
        case .page, .events, .device, .signOut: false
        }
    }

    /// Whether the answer is shown to a person as a page.
    var isPage: Bool {
        switch self {
        case .open, .page: true
        case .asset, .calendar, .events, .device, .signOut: false
        }
    }
}

/// A file of the page, in the form in which it is served.
package struct PageAsset: Hashable, Sendable {
    /// The path, such as `/page.js`; `/` for the page itself.
    package let path: String
    /// The media type for the `Content-Type` header.
    package let contentType: String
    /// The contents of the file in `Assets`, unchanged.
    package let bytes: [UInt8]

    /// Returns the page in an appearance. Its markup names the appearance from the start, because a script
    /// would change it only after the page is shown.
    package func html(in appearance: Appearance) -> [UInt8] {
        let attributes = { (appearance: Appearance) in
            let (background, accent) = (appearance.background.rawValue, appearance.accent.rawValue)
            return "data-background=\"\(background)\" data-accent=\"\(accent)\""
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return Array(text.replacing(attributes(Appearance()), with: attributes(appearance)).utf8)
    }
}

/// The page's files, which SwiftPM embeds in the program (`.embedInCode` in Package.swift).
package enum PageAssets {
    /// All files, by path.
    package static let all: [PageAsset] = [
        html("/", PackageResources.page_html),
        script("/bell.js", PackageResources.bell_js),
        script("/charts.js", PackageResources.charts_js),
        style("/colours.css", PackageResources.colours_css),
        script("/countdown.js", PackageResources.countdown_js),
        script("/day-line.js", PackageResources.day_line_js),
        script("/days.js", PackageResources.days_js),
        script("/devices.js", PackageResources.devices_js),
        script("/dialogs.js", PackageResources.dialogs_js),
        script("/dom.js", PackageResources.dom_js),
        script("/entry.js", PackageResources.entry_js),
        script("/events.js", PackageResources.events_js),
        script("/history.js", PackageResources.history_js),
        script("/icon.js", PackageResources.icon_js),
        PageAsset(path: "/icon.svg", contentType: "image/svg+xml", bytes: PackageResources.icon_svg),
        script("/joining.js", PackageResources.joining_js),
        script("/key-switch.js", PackageResources.key_switch_js),
        script("/keys.js", PackageResources.keys_js),
        script("/labels.js", PackageResources.labels_js),
        style("/lists.css", PackageResources.lists_css),
        PageAsset(
            path: "/manifest.webmanifest", contentType: "application/manifest+json",
            bytes: PackageResources.manifest_webmanifest),
        script("/memory.js", PackageResources.memory_js),
        script("/messages.js", PackageResources.messages_js),
        script("/on-screen.js", PackageResources.on_screen_js),
        style("/page.css", PackageResources.page_css),
        script("/page.js", PackageResources.page_js),
        script("/qr-code.js", PackageResources.qr_code_js),
        script("/requests.js", PackageResources.requests_js),
        script("/rows.js", PackageResources.rows_js),
        script("/screens.js", PackageResources.screens_js),
        script("/settings.js", PackageResources.settings_js),
        script("/source.js", PackageResources.source_js),
        script("/statistics.js", PackageResources.statistics_js),
        script("/ticks.js", PackageResources.ticks_js),
        style("/timer.css", PackageResources.timer_css),
        script("/timer.js", PackageResources.timer_js),
        script("/turns.js", PackageResources.turns_js),
        script("/words.js", PackageResources.words_js),
    ]

    private static func html(_ path: String, _ bytes: [UInt8]) -> PageAsset {
        PageAsset(path: path, contentType: "text/html; charset=utf-8", bytes: bytes)
    }

    private static func style(_ path: String, _ bytes: [UInt8]) -> PageAsset {
        PageAsset(path: path, contentType: "text/css; charset=utf-8", bytes: bytes)
    }

    private static func script(_ path: String, _ bytes: [UInt8]) -> PageAsset {
        PageAsset(path: path, contentType: "text/javascript; charset=utf-8", bytes: bytes)
    }
}
