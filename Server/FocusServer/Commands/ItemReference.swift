import CommandLineKit
import FocusCore
import FocusSeal
import FocusServerStore
import FocusText

/// A person's reference to one item of a list: the first hexadecimal digits of its id, or the name that an
/// operator gave it.
struct ItemReference {
    let text: String

    /// Returns the item of `all` to which the text refers.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items, as in "No device's id begins with 1f".
    ///   - list: The command that lists the items.
    /// - Throws: `CommandFailure` if there is no such item, or more than one.
    func choose<Item>(
        of all: [Item], _ kind: String, listedBy list: String, id: (Item) -> String, name: (Item) -> String?
    ) throws(CommandFailure) -> Item {
        let matches = all.filter { id($0).hasPrefix(text.lowercased()) || name($0) == text }
        guard let match = matches.first else {
            throw CommandFailure(
                "No \(kind)'s id begins with \(text), and none has that name. This lists them: \(list)")
        }
        guard matches.count == 1 else {
            throw CommandFailure(
                "\(matches.count) \(kind)s are meant by \(text). Give more digits of the id.")
        }
        return match
    }
}

extension ServerSnapshot {
    /// Returns the group to which `reference` refers: the first digits of its id, or its name.
    func group(_ reference: String, in folder: DataFolder) throws -> GroupSummary {
        try ItemReference(text: reference).choose(
            of: summaries(), "group", listedBy: folder.command("groups")
        ) {
            $0.group.text
        } name: {
            $0.name
        }
    }

    /// Returns the device to which `reference` refers: the first digits of its key's hash, or its name.
    func device(_ reference: String, in folder: DataFolder) throws -> DeviceSummary {
        // A key that several groups list is one device. It belongs to the group in which it has proved
        // itself.
        let summaries = try deviceSummaries()
        let proved = Set(summaries.lazy.filter(\.device.isProved).map(\.device.key))
        var listed: Set<Digest> = []
        let devices = summaries.filter { summary in
            let key = summary.device.key
            return summary.device.isProved || !proved.contains(key) && listed.insert(key).inserted
        }
        return try ItemReference(text: reference).choose(
            of: devices, "device", listedBy: folder.command("devices")
        ) {
            $0.device.key.hexadecimal
        } name: {
            $0.name
        }
    }
}
