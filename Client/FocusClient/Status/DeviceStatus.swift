package import FocusCore
package import FocusStore
package import FocusText

/// What `focus status` knows: the state that every laptop shows, and how this one stands to the others.
package struct DeviceStatus: Sendable {
    package let state: ReplayState
    /// In shared time, milliseconds since the Unix epoch.
    package let now: Int64
    /// What the others call this device.
    package let device: String
    /// Nil where the device is alone.
    package let group: GroupID?
    package let link: ServerLink
    /// How many events the server isn't known to have; alone there is none that lacks them.
    package let pending: UInt64
    /// Shared time less the wall clock, in milliseconds.
    package let offset: Int64
    /// When the server was last heard, in shared time; nil where it never was.
    package let lastSync: Int64?

    /// What the device knows now.
    package init(_ device: Device) throws(StoreError) {
        state = try device.store.state()
        let clock = try device.clock()
        now = clock.now()
        offset = clock.fromWall
        self.device = try device.name()
        group = try device.store.group()
        link = try device.link()
        pending = group == nil ? 0 : try device.store.pendingCount()
        lastSync = try device.lastHeard()?.shared
    }

    /// What a device knows that has no log yet.
    package init(withoutLog context: CommandContext) {
        state = ReplayState()
        now = context.clocks.wall()
        device = context.hostName()
        group = nil
        link = ServerLink(.offline)
        pending = 0
        offset = 0
        lastSync = nil
    }

    /// What is shown of it, in this form.
    package func text(_ form: StatusForm, _ paint: Paint) -> String {
        switch form {
        case .line: StatusView(state, at: now).line(paint)
        case .json: json.description
        case .format(let format): format.text(StatusView(state, at: now))
        }
    }

    /// The object that `focus status --json` prints (docs/commands.md, "status --json").
    package var json: JSON {
        let sync = JSON.object([
            JSON.Member("state", .string(link.state.rawValue)), JSON.Member("pending", .integer(pending)),
            JSON.Member("offsetMs", .integer(offset)), JSON.Member("lastSync", .optional(lastSync)),
        ])
        let members = [
            JSON.Member("device", .string(device)), JSON.Member("group", .optional(group?.text)),
            JSON.Member("sync", sync),
            JSON.Member("online", .array(onlineNames.map { .string($0) })),
        ]
        return .object(
            StateDocument.members(state, at: now) + members + StateDocument.counts(state))
    }

    /// The names of the devices that are connected, in order; the first digits of the identity where a
    /// device's name isn't known.
    package var onlineNames: [String] {
        link.online.map { key in
            state.devices.values.first { $0.key == key }?.name ?? String(key.prefix(8))
        }.sorted()
    }
}
