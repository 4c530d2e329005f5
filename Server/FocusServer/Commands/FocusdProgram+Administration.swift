import CommandLineKit

// The operator's commands for groups and devices.
extension FocusdProgram {
    static let groups = Command<Request>(
        "groups", "list the groups", json, data,
        sections: [CommandSection([renameGroup, setQuota, deleteGroup])]
    ) { .server(.groups(json: $0), data: $1) }

    private static let groupID = Parameter<String>.argument(
        "ID", .nonEmpty("ID"), "its id in the list, the first digits of it, or its name there")

    private static let nameNote =
        "The server can't read the names that laptops use. This name is for its operator: it stays on this server, "
        + "and no laptop sees it."

    private static let renameGroup = Command<Request>(
        "rename", "name a group in this server's lists", groupID,
        .argument("NAME", .operatorsName, "the name; '' removes it"), data,
        details: [nameNote]
    ) { .server(.renameGroup($0, $1), data: $2) }

    private static let setQuota = Command<Request>(
        "quota", "give a group other limits than the settings", groupID,
        .option("events", .quota(.number(1...1_000_000_000)), "events of the group"),
        .option("bytes", .quota(.size(1...1 << 40)), "size of its sealed events and keys on the disk"),
        .option("devices", .quota(.number(1...4_096)), "devices of the group, without revoked ones"), data,
        details: [
            "Limits that you don't give stay; 'default' returns to the setting for all groups ('focusd config'). It "
                + "applies at once, even while the server runs. A limit below the present number removes nothing: "
                + "the group only can't grow."
        ]
    ) { (id, events, bytes, devices, data) throws(UsageError) in
        guard events != nil || bytes != nil || devices != nil else {
            throw UsageError("Give at least one of --events, --bytes and --devices.")
        }
        return .server(
            .setQuota(id, QuotaChange(events: events, bytes: bytes, devices: devices)), data: data)
    }

    private static let deleteGroup = Command<Request>(
        "delete", "delete a group, with all its data on this server", groupID,
        .flag("yes", "without asking"), data,
        details: [
            "Its laptops keep their logs and go on without the server. One of them can bring the group back, with "
                + "an invite from 'focusd invite'. Backups still contain the group."
        ]
    ) { .server(.deleteGroup($0, isSure: $1), data: $2) }

    static let devices = Command<Request>(
        "devices", "list the devices", json, data, sections: [CommandSection([renameDevice, revoke])]
    ) { .server(.devices(json: $0), data: $1) }

    private static let deviceID = Parameter<String>.argument(
        "ID", .nonEmpty("ID"), "its id in the list, the first digits of it, or its name there")

    private static let renameDevice = Command<Request>(
        "rename", "name a device in this server's lists", deviceID,
        .argument("NAME", .operatorsName, "the name; '' removes it"), data,
        details: [nameNote]
    ) { .server(.renameDevice($0, $1), data: $2) }

    private static let revoke = Command<Request>("revoke", "refuse a device for good", deviceID, data) {
        .server(.revokeDevice($0), data: $1)
    }
}

extension ArgumentType where Value == String {
    /// An operator's name for something: up to 64 printable characters, or none.
    fileprivate static var operatorsName: ArgumentType {
        ArgumentType(name: "NAME") { word throws(ValueProblem) in
            guard word.count <= 64 else { throw ValueProblem("is longer than 64 characters") }
            guard TerminalText.message(word) == word, !word.contains(where: \.isNewline) else {
                throw ValueProblem("has characters that can't be shown")
            }
            return word
        }
    }
}

extension ArgumentType where Value == QuotaChange.Value {
    /// A limit of a group: a number or `default`.
    fileprivate static func quota(_ kind: SettingKind<Int>) -> ArgumentType {
        ArgumentType(
            name: "\(kind.name)|default", note: kind.note, offer: .words([CompletionItem("default")])
        ) { word throws(ValueProblem) in
            if word == "default" { return .standard }
            guard let number = kind.read(word) else {
                throw ValueProblem("is not \(kind.allowed), or 'default'")
            }
            return .number(number)
        }
    }
}
