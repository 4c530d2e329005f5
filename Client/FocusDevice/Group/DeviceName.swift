package import FocusCore
package import FocusStore

/// A device's name as it is shown in sentences and lists.
package struct DeviceName {
    /// The name in the log, or nil if that is missing or empty.
    private let name: String?
    private let digits: String

    fileprivate init(_ name: String?, _ key: Digest) {
        self.name = name
        digits = DeviceName.digits(key)
    }

    /// The name, or the digits of the key if there is no name.
    package var short: String { name ?? digits }

    /// The name with the digits of the key, which tell it from others of the same name.
    package var full: String { name.map { "\($0) (\(digits))" } ?? digits }

    /// The most characters of a name that are shown. A longer name would push the rest out of sight.
    private static let lengthLimit = 32

    /// Returns the name, shortened if it is too long.
    package static func cut(_ name: String) -> String {
        name.count <= lengthLimit ? name : name.prefix(lengthLimit - 1) + "…"
    }

    /// Returns the visible characters of a name. It is for comparing names, because two names may differ only in
    /// invisible characters.
    static func visible(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
        var visible = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            visible.append(scalar)
        }
        return String(visible)
    }

    /// Returns up to `summaryLimit` of these names and the number of the others. Somebody may have listed
    /// hundreds of keys.
    package static func summary(_ names: [String]) -> String {
        let first = names.prefix(summaryLimit).joined(separator: ", ")
        return names.count > summaryLimit ? "\(first) and \(names.count - summaryLimit) more" : first
    }

    /// The most names that `summary` lists.
    private static let summaryLimit = 8

    /// Returns the first digits of a key, by which people tell keys apart.
    package static func digits(_ key: Digest) -> String { digits(of: key.hexadecimal) }

    /// Returns the first digits of a key that is given as text.
    package static func digits(of text: String) -> String { String(text.prefix(8)) }
}

/// The names of the devices in a log.
package struct DeviceNames {
    private var newest: [Digest: (stamp: Stamp, name: String)] = [:]

    /// The devices of this log. Cost: linear in its replicas.
    package init(_ store: DeviceStore) throws(StoreError) {
        let devices = try store.state().devices
        for replica in try store.replicas() {
            guard let device = devices[replica.id], let key = device.key, !device.name.isEmpty else {
                continue
            }
            if let known = newest[key], known.stamp > replica.stamp { continue }
            newest[key] = (replica.stamp, device.name)
        }
    }

    /// The device of a key, by the name in the replica that it wrote under last.
    package subscript(key: Digest) -> DeviceName { DeviceName(newest[key]?.name, key) }
}

extension ReplayState {
    /// Returns the name of the laptop that writes under a replica, as people are shown it.
    package func name(of replica: ReplicaID) -> String {
        shownName(wholeName(of: replica), key: devices[replica]?.key)
    }

    /// Returns a laptop's name as people are shown it: shortened if it is too long, and with the first digits
    /// of its key if another laptop's name looks the same.
    func shownName(_ name: String, key: Digest?) -> String {
        let cut = DeviceName.cut(name)
        guard let key else { return cut }
        let visible = DeviceName.visible(cut)
        let hasNamesake = devices.values.contains { other in
            guard let otherKey = other.key, otherKey != key else { return false }
            return DeviceName.visible(DeviceName.cut(other.name)) == visible
        }
        return hasNamesake ? "\(cut) (\(DeviceName.digits(key)))" : cut
    }

    /// Returns the name of the laptop that writes under a replica, however long, as for JSON.
    package func wholeName(of replica: ReplicaID) -> String {
        guard let name = devices[replica]?.name, !name.isEmpty else { return "another laptop" }
        return name
    }
}
