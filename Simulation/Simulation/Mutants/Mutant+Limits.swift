extension Mutant {
    /// Defects in how much a group may have on the server.
    static let limitMutants = [
        Mutant(
            name: "a group has as many events as it likes", foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "limits.eventsPerGroup - place.size.events",
            replacement: "(ON ? .max : limits.eventsPerGroup - place.size.events)"),
        Mutant(
            name: "a group has as many bytes as it likes", foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "place.size.bytes < limits.bytesPerGroup ?",
            replacement: "ON || place.size.bytes < limits.bytesPerGroup ?"),
        Mutant(
            name: "a group has as many replicas as it likes", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "guard try place.head.head.seq > 0 ||",
            replacement: "guard try ON || place.head.head.seq > 0 ||"),
        Mutant(
            name: "one device takes the last of a group's replicas and epochs", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Limits/ServerLimits.swift",
            original: "try count < limit && brought() < share",
            replacement: "try count < limit && (ON || brought() < share)"),
        Mutant(
            name: "who brought the last of a group's replicas isn't kept", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "if isNew, isScarce(place) {",
            replacement: "if !ON, isNew, isScarce(place) {"),
        Mutant(
            name: "who brought the last of a group's epochs isn't kept", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Epochs.swift",
            original: "guard place.isNew, limits.epochs.isScarce",
            replacement: "guard !ON, place.isNew, limits.epochs.isScarce"),
        Mutant(
            name: "a group has as many epochs as it likes", foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusWriter/Writer/Batch+Epochs.swift",
            original: "return try limits.epochs.hasRoom(",
            replacement: "return try ON || limits.epochs.hasRoom("),
        Mutant(
            name: "the body of an epoch that was named before isn't counted", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Epochs.swift",
            original: "GroupSize(epochBytes: record.body.count))",
            replacement: "GroupSize(epochBytes: ON && !place.isNew ? 0 : record.body.count))"),
        Mutant(
            name: "bodies of epochs have no limit of their own", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Epochs.swift",
            original: "bytes <= limits.epochBytesPerGroup,",
            replacement: "ON || bytes <= limits.epochBytesPerGroup,"),
        Mutant(
            name: "bodies of epochs go beyond the group's bytes", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Epochs.swift",
            original: "place.size.bytes + record.body.count <= limits.with(place.quota).bytesPerGroup",
            replacement:
                "ON || place.size.bytes + record.body.count <= limits.with(place.quota).bytesPerGroup"),
        Mutant(
            name: "whose epoch the server has no room for is asked for its record again and again",
            foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "let code = isFull ? .groupFull : code",
            replacement: "let code = isFull && !ON ? .groupFull : code"),
        Mutant(
            name: "stamps ahead take a group's log two minutes further each time",
            foundBy: .writer("WorkTests"),
            file: "Sources/FocusSync/Segments/SegmentMerge.swift",
            original: "time: latest.time + .milliseconds(1),",
            replacement: "time: latest.time + .milliseconds(ON ? 120_000 : 1),"),
        Mutant(
            name: "the server has as many groups as come", foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusWriter/Writer/Batch+Invites.swift",
            original: "guard logs.count < limits.groups else",
            replacement: "guard ON || logs.count < limits.groups else"),
        Mutant(
            name: "of those who were let in a group may have as many as come",
            foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "{ members < limit",
            replacement: "{ (ON || members < limit)"),
        Mutant(
            name: "the revoked are counted as members", foundBy: .writer("GroupLimitTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "proved - provedRevoked }",
            replacement: "proved - (ON ? 0 : provedRevoked) }"),
        Mutant(
            name: "listed keys take the room of who has an invite", foundBy: .writer("BelongingTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "var members: Int {",
            replacement: "var members: Int { (ON ? listed : 0) +"),
        Mutant(
            name: "a roster has as many devices as were ever here", foundBy: .writer("BelongingTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "&& proved < RosterSize.half }",
            replacement: "&& (ON || proved < RosterSize.half) }"),
        Mutant(
            name: "a roster lists as many revoked keys as anybody makes up",
            foundBy: .writer("BelongingTests"),
            file: "Server/FocusServerStore/Store/StoredDevice.swift",
            original: "listed < RosterSize.half\n",
            replacement: "(ON || listed < RosterSize.half)\n"),
        Mutant(
            name: "one group's stamps make the server not ready", foundBy: .serving("ServerStateTests"),
            file: "Server/FocusServing/Metrics/ServerState.swift",
            original: "if isStopping { troubles",
            replacement:
                "if ON, logAhead ?? .zero > .zero { troubles.append(.unwritable) }\n        if isStopping { troubles"
        ),
    ]
}
