package import FocusCore
package import FocusStore

/// What a device is called where there is more to be said of it than its name.
package struct DeviceName {
    /// Its name, as the log has it; nil where the log doesn't name it, or by nothing that shows.
    private let name: String?
    private let digits: String

    fileprivate init(_ name: String?, _ key: Digest) {
        self.name = name
        digits = DeviceName.digits(key)
    }

    /// As short as it can be told.
    package var short: String { name ?? digits }

    /// With the digits by which it differs from everything that calls itself the same.
    package var full: String { name.map { "\($0) (\(digits))" } ?? digits }

    /// The most that is shown of a name, in characters: a longer one would push the rest out of sight.
    private static let widest = 32

    /// As much of a name as is shown.
    package static func cut(_ name: String) -> String {
        name.count <= widest ? name : name.prefix(widest - 1) + "…"
    }

    /// What of a name is seen: without characters that show nothing, by which somebody could be called as another laptop
    /// looks.
    static func look(_ name: String) -> String {
        var look = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            look.append(scalar)
        }
        return String(look)
    }

    /// As many of these names as can be told in a sentence: somebody may have listed hundreds of keys.
    package static func some(_ names: [String]) -> String {
        let told = names.prefix(most).joined(separator: ", ")
        return names.count > most ? "\(told) and \(names.count - most) more" : told
    }

    private static let most = 8

    /// The first digits of a key, which stand for it.
    package static func digits(_ key: Digest) -> String { digits(of: key.hexadecimal) }

    /// The same of a key as it is written down.
    package static func digits(of text: String) -> String { String(text.prefix(8)) }
}

/// What the devices are called that a log names.
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

    /// The device of a key, by the name that the replica has which it wrote as last.
    package subscript(key: Digest) -> DeviceName { DeviceName(newest[key]?.name, key) }
}

extension ReplayState {
    /// What the laptop is called that writes as a replica.
    package func name(of replica: ReplicaID) -> String {
        guard let name = devices[replica]?.name, !name.isEmpty else { return "another laptop" }
        return DeviceName.cut(name)
    }
}
