package import FocusCore
package import FocusDevice
import FocusFront
import FocusText
import FocusWords

/// A device as the full-screen view lists it.
package struct DeviceRow: Hashable, Sendable {
    /// Its key, where it has one.
    package let id: String
    /// What people call it.
    package let name: String
    /// How it stands to the group.
    package let standing: Standing
    /// What else there is to say, as "online, last used 3m ago".
    package let remark: String
    /// Whether it came since the group's key was last changed, or lately, and its place in the order in which they came.
    let isRecent: Bool
    let arrival: Int

    /// How a device stands to the group.
    package enum Standing: CaseIterable, Hashable, Sendable {
        /// It is this laptop.
        case this
        case member
        /// It waits for a person to accept it.
        case latecomer
        /// The server lists it, and no laptop has named it.
        case listed
        case revoked
        /// It has left the group by itself.
        case left
        /// It was shut out and taken back, and waits to be accepted or joins with another key.
        case readmitted
        /// It has a part in the log, and has never joined a group.
        case keyless
    }

    /// A line of the list.
    ///
    /// - Parameter id: the device's key, or a replica where it has none: what tells it from the others.
    package init(
        id: String, name: String, _ standing: Standing, remark: String, isRecent: Bool = false,
        arrival: Int = 0
    ) {
        self.isRecent = isRecent
        self.arrival = arrival
        self.id = id
        self.name = name
        self.standing = standing
        self.remark = remark
    }

    /// - Parameter now: In shared time.
    init(_ entry: DeviceList.Entry, at now: SharedInstant) {
        self.init(
            id: entry.key?.hexadecimal ?? entry.replicas.first?.text ?? "", name: entry.title,
            Standing(entry),
            remark: entry.remarks(at: now).joined(separator: ", "), isRecent: entry.isRecent,
            arrival: entry.arrival)
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

    /// What there is to know of a device that stands so, and what can be done about it here; nil where its line says all.
    var explanation: String? {
        switch self {
        case .this, .member, .keyless, .left: nil
        case .latecomer:
            "It came with a key from before a laptop was shut out, and can't read anything since. If you know "
                + "whose it is, a accepts it; if not, d shuts it out."
        case .listed:
            "The server lists it, and it has shown itself to no laptop. Whoever is shut out may have listed it."
        case .revoked:
            "b takes that back. A server that knows of it goes on refusing its key: then it joins anew, by an invite."
        case .readmitted:
            "a gives it the group's key, if the server lets it in. Else it joins with another one: i here, then "
                + "'focus leave' and 'focus join INVITE' there."
        }
    }
}

/// A line of the settings' form.
package enum SettingRow: Hashable, Sendable {
    /// A setting for all laptops.
    case shared(SettingKey)
    /// One of this laptop's own.
    case own(LaptopSetting)

    /// All of them, in the form's order.
    package static let all =
        SettingKey.allCases.map(SettingRow.shared) + LaptopSetting.allCases.map(SettingRow.own)

    /// What it is kept by.
    package var name: String {
        switch self {
        case .shared(let key): key.rawValue
        case .own(let setting): setting.rawValue
        }
    }

    /// The line of this name; nil where there is none.
    package init?(_ name: String) {
        guard let row = SettingRow.all.first(where: { $0.name == name }) else { return nil }
        self = row
    }

    /// What the setting is called in the form.
    var title: String {
        switch self {
        case .shared(let key): key.title
        case .own(let setting): setting.title
        }
    }
}
