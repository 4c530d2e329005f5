import CommandLineKit
import FocusServerCore
import FocusServerStore
import FocusServing
import FocusSync

/// One of the server's settings: an entry of the table from which parsing, `focusd config`, help, completions
/// and the manual are made.
struct Setting: Sendable {
    /// The heading of a setting in lists.
    enum Topic: String, CaseIterable, Sendable {
        case storing = "Storing"
        case serving = "Serving"
        case connections = "Connections"
        case events = "Events"
        case groups = "Groups"
        case backups = "Backups"
    }

    /// The name in the file and, with two dashes, on the command line.
    let name: String
    let topic: Topic
    /// A description, to be read after the name: no capital, no full stop.
    let summary: String
    /// The description of the allowed values, to be read after "must be".
    let allowed: String
    /// The option `--name`, or nil if there is none. It checks a value but doesn't apply it.
    let option: Parameter<String?>?
    /// Returns whether a value, as text, contains a password.
    let hasPassword: @Sendable (String) -> Bool
    /// Whether messages may show an invalid value. False if values may contain a password, because nobody
    /// knows the password's place in an invalid value.
    let isShownIfWrong: Bool
    /// Parses a text and sets the value. Returns false if the text isn't allowed.
    let set: @Sendable (String, inout ServerSettings) -> Bool
    /// Returns the value as a text that `set` accepts.
    let text: @Sendable (ServerSettings) -> String

    /// An entry for the setting at `path`.
    init<Value>(
        _ name: String, _ topic: Topic, _ kind: SettingKind<Value>,
        _ path: any WritableKeyPath<ServerSettings, Value> & Sendable, _ summary: String
    ) {
        self.name = name
        self.topic = topic
        self.summary = summary
        allowed = kind.allowed
        let standard = kind.text(ServerSettings()[keyPath: path])
        hasPassword = kind.hasPassword
        isShownIfWrong = kind.isShownIfWrong
        option =
            kind.isOption
            ? .option(
                name,
                ArgumentType(name: kind.name, note: kind.note, offer: kind.offer) {
                    word throws(ValueProblem) in
                    guard kind.read(word) != nil else { throw ValueProblem("is not \(kind.allowed)") }
                    return word
                }, "\(summary); by default \(standard)") : nil
        set = { text, settings in
            guard let value = kind.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
        text = { kind.text($0[keyPath: path]) }
    }

    /// The environment variable of the setting.
    var variable: String {
        "FOCUSD_" + name.map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }

    /// The settings that are also options of the command line.
    static let options = all.filter { $0.option != nil }

    /// The default value, as text.
    var standard: String { text(ServerSettings()) }
}

extension Setting {
    /// Every setting, in the order in which they are listed.
    static let all: [Setting] = [
        Setting(
            "store", .storing, .store, \.store,
            "where groups are stored: in the data folder, or in a PostgreSQL database; not an option, because all commands use it"
        ),

        Setting(
            "listen", .serving, .listening, \.listen,
            "the numeric address to listen at; 'any' is every address, at the port of the first --address of 'init'"
        ),
        Setting(
            "proxies", .serving, .addresses, \.proxies,
            "the proxies that forward laptops' connections and name their addresses, by version 2 of the PROXY protocol"
        ),
        Setting(
            "web", .serving, .web, \.web.address,
            "where the page is served to browsers, without encryption: a proxy in front of it has to serve HTTPS"
        ),
        Setting(
            "web-address", .serving, .announcedPage, \.web.announced,
            "where browsers reach the page, for the links and QR codes of laptops' invites"),
        Setting(
            "web-proxies", .serving, .addresses, \.web.proxies,
            "the proxies in front of the page, which name the browsers' addresses by the header X-Forwarded-For"
        ),
        Setting(
            "web-files", .serving, .folder(or: "auto"), \.web.folder,
            "the folder with the page's files; 'auto' is share/lockstep/web where the program is installed"),
        Setting(
            "web-origins", .serving, .origins, \.web.origins,
            "other sites that have the page and may connect to this server"),
        Setting(
            "metrics", .serving, .metricsPlace, \.metrics,
            "where metrics and health are served; 'auto' is 127.0.0.1:7854, or nowhere if that port is in use"
        ),
        Setting("log", .serving, .level, \.log, "the lowest level that is logged to standard error"),

        Setting(
            "max-connections", .connections, .number(1...1_000_000), \.limits.connections,
            "connections in all; besides these, a tenth of that number, at least 16, may be of devices that aren't known yet"
        ),
        Setting(
            "strangers-per-address", .connections, .number(1...100_000), \.limits.strangersPerAddress,
            "connections from one address, or one IPv6 network (/64), without a known device"),
        Setting(
            "connections-per-device", .connections, .number(1...1_000), \.limits.connectionsPerDevice,
            "connections of one device; its agent has one, and each command that syncs has another"),
        Setting(
            "connections-per-group", .connections, .number(1...1_000_000), \.limits.connectionsPerGroup,
            "connections of a group's devices; each device may always have one"),
        Setting(
            "buffers-per-group", .connections, .size(4 << 20...1 << 40), \.limits.buffersPerGroup,
            "memory for a group's connections: incomplete messages, uploads not stored yet, and data that laptops don't read"
        ),
        Setting(
            "buffers", .connections, .size(16 << 20...1 << 40), \.limits.buffers,
            "the same for all connections"),
        Setting(
            "enrolments-per-minute", .connections, .number(1...1_000_000), \.limits.enrolmentsPerMinute,
            "how often devices from one address may ask to join with an invite"),
        Setting(
            "handshake-timeout", .connections, .duration(.seconds(1)...(.seconds(300))),
            \.limits.session.opening,
            "how long TLS may take, with a browser's request before it, and after that the hello or joining with an invite"
        ),
        Setting(
            "idle-timeout", .connections, .duration(.seconds(30)...(.seconds(3600))),
            \.limits.session.silence,
            "how long a connection may be silent before it ends; laptops send something every 20 seconds"
        ),
        Setting(
            "max-frame", .connections, .size(256 << 10...1 << 20), \.limits.session.frame,
            "the longest message of a known device"),
        Setting(
            "max-stranger-frame", .connections, .size(2 << 10...4 << 10), \.limits.session.frameBeforeKnown,
            "the longest message before the device is known"),

        Setting(
            "device-events-per-second", .events, .number(1...1_000_000), \.limits.deviceEventsPerSecond,
            "events that a device may write a second, permanently"),
        Setting(
            "device-burst", .events, .number(1...1_000_000_000), \.limits.deviceBurst,
            "events that a device may write at once, as when it brings a log of years"),
        Setting(
            "group-events-per-second", .events, .number(1...1_000_000), \.limits.groupEventsPerSecond,
            "events that all devices of a group may write a second, permanently"),
        Setting(
            "group-burst", .events, .number(1...1_000_000_000), \.limits.groupBurst,
            "events that all devices of a group may write at once"),

        Setting("max-groups", .groups, .number(1...1_000_000), \.limits.groups, "groups on this server"),
        Setting(
            "devices-per-group", .groups, .number(1...4_096), \.limits.devicesPerGroup,
            "devices of a group, the revoked not counted"),
        Setting(
            "epochs-per-group", .groups, .number(1...4_096), \.limits.epochsPerGroup,
            "group keys that a group may have had; revoking a device makes a new one"),
        Setting(
            "epoch-bytes-per-group", .groups, .size(1 << 20...Limits.epochBytes), \.limits.epochBytesPerGroup,
            "the size of these keys, wrapped for each device; it also counts for bytes-per-group"),
        Setting(
            "replicas-per-group", .groups, .number(16...1_024), \.limits.replicasPerGroup,
            "names that a group's devices write under; a device has one, and gets another after a restore or a copy"
        ),
        Setting(
            "events-per-group", .groups, .number(1_000...1_000_000_000), \.limits.eventsPerGroup,
            "events of a group; each press is one event, or a few"),
        Setting(
            "bytes-per-group", .groups, .size(1 << 20...1 << 40), \.limits.bytesPerGroup,
            "the size of a group's sealed events and keys on the disk"),

        Setting(
            "backup-folder", .backups, .folder(or: "off"), \.backups.folder,
            "the folder for automatic backups; they contain the server's key"),
        Setting(
            "backup-every", .backups, .duration(.seconds(300)...(.seconds(720 * 3_600))), \.backups.every,
            "the time between two backups"),
        Setting(
            "backup-keep", .backups, .number(1...10_000), \.backups.keep,
            "how many backups are kept; older ones are deleted after a new one is complete"),
    ]
}
