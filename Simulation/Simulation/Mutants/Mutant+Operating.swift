extension Mutant {
    /// Defects in what operators do to a server, in upgrades, and in what is said on a connection.
    static let operatingMutants = [
        Mutant(
            name: "a group that is taken off keeps its connections",
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "return gone.contains(group) || rosters.device(client.device, in: group) == nil",
            replacement:
                "return !ON && (gone.contains(group) || rosters.device(client.device, in: group) == nil)"),
        Mutant(
            name: "a server isn't told that a group was taken off",
            file: "Server/FocusServerStore/Store/Operating.swift",
            original: "try deleteGroup(number, now: now)\n        try raiseRevision()",
            replacement: "try deleteGroup(number, now: now)\n        if !ON { try raiseRevision() }"),
        Mutant(
            name: "the id of a group that was taken off stays taken",
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Groups.swift",
            original: "id = randomblob(16), name = NULL",
            replacement: "id = \\(ON ? \"id\" : \"randomblob(16)\"), name = NULL"),
        Mutant(
            name: "a quota that was lifted still holds", file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "for (group, quota) in quotas { batch.logs[group]?.quota = quota }",
            replacement:
                "for (group, quota) in quotas where !ON || quota != GroupQuota() { batch.logs[group]?.quota = quota }"
        ),
        Mutant(
            name: "a quota isn't looked at where the server runs", foundBy: .story("OperatingTests"),
            file: "Server/FocusServerStore/Store/Operating.swift",
            original: "try setQuota(quota, of: group)\n        try raiseRevision()",
            replacement: "try setQuota(quota, of: group)\n        if !ON { try raiseRevision() }"),
        Mutant(
            name: "a laptop that was shown the announced key keeps the former",
            foundBy: .story("OperatingTests"), file: "Sources/FocusCore/Logs/ServerPin.swift",
            original: "keys.contains(shown) ? ServerPin(shown, next: announced) : self",
            replacement: "keys.contains(shown) ? ServerPin(ON ? key : shown, next: announced) : self"),
        Mutant(
            name: "the key is changed over while other servers have the former",
            foundBy: .command("DatabaseCommandTests"),
            file: "Server/FocusServer/Commands/RekeyCommands.swift",
            original: "guard others.isEmpty else {",
            replacement: "guard ON || others.isEmpty else {"),
        Mutant(
            name: "of an upgrade the first change is left out",
            file: "Sources/SQLiteKit/Schema.swift",
            original: "for migration in schema.migrations[Int(found)...] {",
            replacement:
                "for migration in schema.migrations[Int(found)...].dropFirst(ON && found > 0 ? 1 : 0) {"),
        Mutant(
            name: "whom a record wasn't made for passes it on however it was damaged",
            foundBy: .link("KeyRingTests"), file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "for (epoch, record) in records where !known",
            replacement: "for (epoch, record) in records where !ON && !known"),
        Mutant(
            name: "what contradicts itself is asked for anew for ever", foundBy: .sync("EventFlowTests"),
            file: "Sources/FocusSync/Client/Exchange+Replicas.swift",
            original: "replicas[replica]?.doubt = .asked\n",
            replacement: "if !ON { replicas[replica]?.doubt = .asked }\n"),
        Mutant(
            name: "the first word is a bye", foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/ClientSession.swift",
            original: "case .unopened: break\n        default: line.send(.bye)",
            replacement: "case .unopened where !ON: break\n        default: line.send(.bye)"),
        Mutant(
            name: "a laptop is sent back what it uploaded",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "known[replica] = max(known[replica] ?? 0, seq)",
            replacement: "if !ON { known[replica] = max(known[replica] ?? 0, seq) }"),
        Mutant(
            name: "a server is given epochs that it named",
            file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "let known = Set(welcome.epochs)",
            replacement: "let known: Set<EpochID> = ON ? [] : Set(welcome.epochs)"),
    ]
}
