import FocusText

/// A device as the full-screen view lists it.
package struct DeviceRow: Hashable, Sendable {
    package let id: String
    package let name: String
    package let isThis: Bool
    package let isRevoked: Bool
    /// What else there is to say, as "online, last press 3m ago".
    package let remark: String

    package init(id: String, name: String, isThis: Bool, isRevoked: Bool, remark: String) {
        self.id = id
        self.name = name
        self.isThis = isThis
        self.isRevoked = isRevoked
        self.remark = remark
    }

    /// - Parameter now: In shared time, milliseconds since the Unix epoch.
    init(_ entry: DeviceList.Entry, at now: Int64) {
        self.init(
            id: entry.key ?? entry.replicas.first?.text ?? "", name: entry.title, isThis: entry.isThis,
            isRevoked: entry.isRevoked, remark: entry.remarks(at: now).joined(separator: ", "))
    }
}
