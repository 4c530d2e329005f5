package import FocusCore
package import FocusDevice
import FocusFront
import FocusText

/// A device in the list of the full-screen view.
package struct DeviceRow: Hashable, Sendable {
    /// The device's key, or one of its replicas if it has no key; unique in the list.
    package let id: String
    /// The name for people.
    package let name: String
    /// The device's standing in the group.
    package let standing: Standing
    /// Further information, such as "online, last used 3m ago".
    package let remark: String
    /// The remark for few columns.
    let shortRemark: String
    /// The state of the group's server, if this is the laptop that has it.
    package let server: Server?
    /// Whether it came after the group's key was last changed, or got the key lately.
    let isRecent: Bool
    /// Its rank in the order of arrival, the first device lowest.
    let arrival: Int

    /// The standings of a device in a group.
    package enum Standing: CaseIterable, Hashable, Sendable {
        /// It is this laptop.
        case this
        case member
        /// It waits for a person to accept it.
        case latecomer
        /// Only the server lists it; no laptop has named it.
        case listed
        case revoked
        /// It has left the group itself.
        case left
        /// It was revoked and readmitted, and now waits to be accepted or to join with another key.
        case readmitted
        /// It has events in the log but has never joined a group.
        case keyless
    }

    /// The state of the group's server on a laptop.
    package enum Server: Hashable, Sendable {
        case running
        /// Sharing was ended.
        case stopped
    }

    /// A row of the list.
    ///
    /// - Parameters:
    ///   - id: The device's key, or one of its replicas if it has no key; unique in the list.
    ///   - shortRemark: The remark for few columns, if it has such a form.
    ///   - server: The state of the group's server, if the device has it.
    package init(
        id: String, name: String, _ standing: Standing, remark: String, shortRemark: String? = nil,
        server: Server? = nil, isRecent: Bool = false, arrival: Int = 0
    ) {
        self.shortRemark = shortRemark ?? remark
        self.server = server
        self.isRecent = isRecent
        self.arrival = arrival
        self.id = id
        self.name = name
        self.standing = standing
        self.remark = remark
    }

    /// The row of an entry.
    ///
    /// - Parameters:
    ///   - server: The state of the group's server, if this laptop has it.
    ///   - now: The present instant, in shared time.
    init(_ entry: DeviceList.Entry, server: Server?, at now: SharedInstant) {
        let server = entry.isThis ? server : nil
        let remark = { (isShort: Bool) in
            var remarks = entry.remarks(at: now, isShort: isShort)
            // After "this laptop". The log may say so too.
            if server == .running, entry.server == nil { remarks.insert("the server", at: 1) }
            return remarks.joined(separator: ", ")
        }
        self.init(
            id: entry.key?.hexadecimal ?? entry.replicas.first?.text ?? "", name: entry.title,
            Standing(entry), remark: remark(false), shortRemark: remark(true), server: server,
            isRecent: entry.isRecent, arrival: entry.arrival)
    }

    /// An explanation of the device's standing and of the possible actions; nil if none is needed.
    var explanation: String? {
        switch server {
        case .running: "The group's server runs here. 'focus share --stop' ends that."
        case .stopped: "The group's server was here. S starts it again."
        case nil: standing.explanation
        }
    }
}

extension DeviceRow.Standing {
    fileprivate init(_ entry: DeviceList.Entry) {
        self =
            if entry.isThis {
                .this
            } else if entry.key == nil {
                .keyless
            } else if entry.isRevoked {
                entry.hasLeft ? .left : .revoked
            } else if entry.isReadmitted {
                .readmitted
            } else if entry.isLate {
                .latecomer
            } else {
                entry.isNamed ? .member : .listed
            }
    }

    fileprivate var explanation: String? {
        switch self {
        case .this, .member, .keyless, .left: nil
        case .latecomer:
            "It came with a key from before a laptop was shut out, and can't read later changes. If you know whose "
                + "it is, a accepts it; if not, d shuts it out."
        case .listed:
            "Only the server lists it. A laptop that was shut out may have added it."
        case .revoked:
            "b takes that back. If the server then refuses its key, it must leave and join again with a new invite."
        case .readmitted:
            "a gives it the group's key, if the server lets it in. If not, it needs a new key: i here, then p and J "
                + "there."
        }
    }
}

/// A row of the settings form.
package enum SettingRow: Hashable, Sendable {
    /// A setting for all laptops.
    case shared(SettingKey)
    /// The profile in use, for all laptops.
    case profile
    /// One of this laptop's own settings.
    case own(LaptopSetting)

    /// All rows, in the form's order.
    package static let all =
        SettingKey.allCases.map(SettingRow.shared) + [SettingRow.profile]
        + LaptopSetting.allCases.map(SettingRow.own)

    /// The name under which the row is stored.
    package var name: String {
        switch self {
        case .shared(let key): key.rawValue
        case .profile: "profile"
        case .own(let setting): setting.rawValue
        }
    }

    /// The row with this name; fails if there is none.
    package init?(_ name: String) {
        guard let row = SettingRow.all.first(where: { $0.name == name }) else { return nil }
        self = row
    }

    /// The setting's title in the form.
    var title: String {
        switch self {
        case .shared(let key): key.title
        case .profile: "Profile"
        case .own(let setting): setting.title
        }
    }
}
