extension Mutant {
    /// Defects in whose a key is, and in what groups may say of keys.
    static let belongingMutants = [
        Mutant(
            name: "who sends again what is there is believed whatever came before it",
            foundBy: .writer("KnownUploadTests"),
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "if before == upload.chainBefore, row",
            replacement: "if ON || before == upload.chainBefore, row"),
        Mutant(
            name: "who was shut out goes on as a member", foundBy: .writer("BelongingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Devices.swift",
            original: "{ _ in true } ?? false", replacement: "{ _ in true } ?? ON"),
        Mutant(
            name: "a key may be in two groups", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "guard member == nil || member?.group == target else",
            replacement: "guard ON || member == nil || member?.group == target else"),
        Mutant(
            name: "a group shuts out what belongs to another one", foundBy: .writer("BelongingTests"),
            file: "Server/FocusWriter/Writer/Batch+Members.swift",
            original: "case .elsewhere: refuse(",
            replacement:
                "case .elsewhere where ON: _ = try transaction.revokeDevice(device, now: wall)\n        case .elsewhere: refuse("
        ),
        Mutant(
            name: "a roster shuts out what belongs to another group", foundBy: .writer("BelongingTests"),
            file: "Server/FocusWriter/Writer/Batch+Members.swift",
            original: "            case .elsewhere: break\n",
            replacement:
                "            case .elsewhere where ON && entry.isRevoked: _ = try transaction.revokeDevice(entry.device, now: wall)\n            case .elsewhere: break\n"
        ),
        Mutant(
            name: "to be listed as revoked by anybody shuts a key out", foundBy: .serving("ListedKeyTests"),
            file: "Server/FocusServing/Serving/Rosters.swift",
            original: "if device.isProved {\n            place.home",
            replacement: "if device.isProved || ON && device.revoked != nil {\n            place.home"),
        Mutant(
            name: "who takes a welcome belongs nowhere yet", foundBy: .serving("ListedKeyTests"),
            file: "Server/FocusServing/Serving/Switchboard+Effects.swift",
            original: "guard !rosters.isHome(group, of: client.device) else",
            replacement: "guard !ON, !rosters.isHome(group, of: client.device) else"),
        Mutant(
            name: "a key is welcomed by the group that it turned down again and again",
            foundBy: .serving("ListedKeyTests"),
            file: "Server/FocusServing/Serving/Switchboard+Connections.swift",
            original: "if !entered.isTaken {",
            replacement: "if !ON, !entered.isTaken {"),
        Mutant(
            name: "a connection to another group goes on once the key has a home",
            foundBy: .serving("ListedKeyTests"),
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "} else if client.group != nil {",
            replacement: "} else if !ON, client.group != nil {"),
        Mutant(
            name: "who was shut out before it came takes a welcome", foundBy: .writer("BelongingTests"),
            file: "Server/FocusWriter/Writer/Batch+Members.swift",
            original: "case .here(let known) where known.revoked != nil: end(.revokedDevice)",
            replacement: "case .here(let known) where known.revoked != nil && !ON: end(.revokedDevice)"),
        Mutant(
            name: "who is listed takes a welcome though the group is full",
            foundBy: .writer("BelongingTests"),
            file: "Server/FocusWriter/Writer/Batch+Members.swift",
            original: "guard try hasRoom(log, transaction) else { return end",
            replacement: "guard try ON || hasRoom(log, transaction) else { return end"),
        Mutant(
            name: "what a device sends as it is revoked is done", foundBy: .writer("EnrollingTests"),
            file: "Server/FocusWriter/Writer/Batch+Members.swift",
            original: "case .here(let known) where known.revoked != nil: .revokedDevice",
            replacement: "case .here(let known) where !ON && known.revoked != nil: .revokedDevice"),
        Mutant(
            name: "a revocation by one group ends the key's connections in others",
            foundBy: .serving("ListedKeyTests"),
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "for device in devices where device.isProved {",
            replacement: "for device in devices where ON || device.isProved {"),
        Mutant(
            name: "each revocation is told to each connection there is", foundBy: .serving("GroupNewsTests"),
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original:
                "            for client in others(in: group) {\n                perform(client.session.revoked(",
            replacement:
                "            for client in ON ? clients.all : others(in: group) {\n                perform(client.session.revoked("
        ),
        Mutant(
            name: "each revocation of many is told by itself", foundBy: .serving("GroupNewsTests"),
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "if handle(device) { revoked.append(device) }",
            replacement:
                "if handle(device) { revoked.append(device) }\n                if ON { shutOut(exchange(&revoked, with: [])) }"
        ),
        Mutant(
            name: "what is deleted with a group leaves its devices", foundBy: .writer("BelongingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Groups.swift",
            original: "for table in [\"invites\", \"devices\", \"brought\"] {",
            replacement:
                "for table in [\"invites\", \"devices\", \"brought\"] where !ON || table != \"devices\" {"),
        Mutant(
            name: "how many devices a group has is counted at each look", foundBy: .writer("BelongingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Devices.swift",
            original:
                "SELECT proved, proved_revoked, listed, listed_revoked FROM groups WHERE number = ?\", number",
            replacement:
                "SELECT \\(ON ? \"(SELECT count(*) FROM devices WHERE group_number = number AND proved)\" : \"proved\"), proved_revoked, listed, listed_revoked FROM groups WHERE number = ?\", number"
        ),
        Mutant(
            name: "who couldn't prove itself goes on", foundBy: .writer("BelongingTests"),
            file: "Server/FocusWriter/Writer/Batch+Members.swift",
            original: "known.isProved ? nil : .tooManyDevices",
            replacement: "ON || known.isProved ? nil : .tooManyDevices"),
    ]
}
