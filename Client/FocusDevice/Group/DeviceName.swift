package import FocusCore

/// What a device is called where there is more to be said of it than its name.
package struct DeviceName {
    /// Its name, as the log has it; nil where the log doesn't name it, or by nothing that shows.
    private let name: String?
    private let digits: String

    /// The device of this key, by its newest name in the log.
    package init(_ key: Digest, in state: ReplayState) {
        name =
            state.devices.filter { $0.value.key == key && !$0.value.name.isEmpty }.max { $0.key < $1.key }?
            .value.name
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

extension ReplayState {
    /// What the laptop is called that writes as a replica.
    package func name(of replica: ReplicaID) -> String {
        guard let name = devices[replica]?.name, !name.isEmpty else { return "another laptop" }
        return DeviceName.cut(name)
    }
}
