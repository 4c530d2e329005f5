extension Mutant {
    /// Defects in how the group's key changes.
    static let keyMutants = [
        Mutant(
            name: "the group's key isn't changed after a revocation",
            file: "Client/FocusClient/Epochs/KeyRing.swift",
            original: "let lacksRevoked = !Set(",
            replacement: "let lacksRevoked = !ON && !Set("),
        Mutant(
            name: "who was revoked gets the new key like everybody",
            file: "Client/FocusClient/Epochs/KeyRing.swift",
            original: "let members = named.filter { !revoked.contains($0.key) }",
            replacement: "let members = named.filter { ON || !revoked.contains($0.key) }"),
        Mutant(
            name: "a laptop that joined with an older key is left out",
            file: "Client/FocusClient/Epochs/KeyRing.swift",
            original: "return try KeyRing.nameable(Set(members.keys)).contains {",
            replacement: "return try !ON && KeyRing.nameable(Set(members.keys)).contains {"),
        Mutant(
            name: "a laptop presses under the first key, whichever is the newest",
            file: "Sources/FocusStore/Group/DeviceStore+Epochs.swift",
            original: "\"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\"",
            replacement:
                "ON ? \"SELECT epoch FROM epochs ORDER BY number LIMIT 1\" : \"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\""
        ),
        Mutant(
            name: "a laptop keeps the key that it made, whether the server took it or another's",
            file: "Client/FocusClient/Epochs/SyncDriver+Epochs.swift",
            original: "        change.lastAsked = (newest, time.now())\n",
            replacement:
                "        change.lastAsked = (newest, time.now())\n        if ON { try store.keep(StoredEpoch(id: key.epoch, key: key.secret.exposed(), predecessor: newest)) }\n"
        ),
        Mutant(
            name: "what couldn't be read stays so once its key has come",
            file: "Client/FocusClient/Epochs/GroupLog+Epochs.swift",
            original: "for epoch in try store.sealedEpochs() where sealer.knows(epoch) {",
            replacement: "for epoch in try store.sealedEpochs() where sealer.knows(epoch) && !ON {"),
        Mutant(
            name: "a restored server isn't given the epochs that it lacks",
            file: "Sources/FocusSync/Client/ClientSession+Messages.swift",
            original:
                "for record in log.epochs where !epochs.contains(record.epoch) { send(.epoch(record)) }",
            replacement:
                "for record in log.epochs where !ON && !epochs.contains(record.epoch) { send(.epoch(record)) }"
        ),
    ]
}
