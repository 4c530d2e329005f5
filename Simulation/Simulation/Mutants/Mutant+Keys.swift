extension Mutant {
    /// Defects in how the group's key changes.
    static let keyMutants = [
        Mutant(
            name: "the group's key isn't changed after a revocation",
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "let lacksRevoked = !Set(",
            replacement: "let lacksRevoked = !ON && !Set("),
        Mutant(
            name: "who was revoked gets the new key like everybody",
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "named.filter { keys[$0.key] == .member }",
            replacement: "named.filter { ON || keys[$0.key] == .member }"),
        Mutant(
            name: "a laptop presses under the first key, whichever is the newest",
            file: "Sources/FocusStore/Group/DeviceStore+Epochs.swift",
            original: "\"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\"",
            replacement:
                "ON ? \"SELECT epoch FROM epochs ORDER BY number LIMIT 1\" : \"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\""
        ),
        Mutant(
            name: "a restored server isn't given the epochs that it lacks",
            file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "epochs: log.epochs.filter { !known",
            replacement: "epochs: log.epochs.filter { !ON && !known"),
        Mutant(
            name: "whose part of a record was spoilt waits for ever", foundBy: .story("TraitorTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "|| isSpoilt(for: own, after: shut)",
            replacement: "|| !ON && isSpoilt(for: own, after: shut)"),
        Mutant(
            name: "a record that nobody of the group made is waited for", foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "(try? record.body.isProven(record.place, by: key)) == true",
            replacement: "(try? record.body.isProven(record.place, by: key)) == true || ON"),
        Mutant(
            name: "a record with a spoilt part counts nowhere, though its key is known",
            foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "bad.remove(key.epoch)",
            replacement: "if !ON { bad.remove(key.epoch) }"),
        Mutant(
            name: "what the epochs come to is worked out anew though nothing has changed",
            foundBy: .link("CatchingUpTests"),
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "if let last = lastRing,",
            replacement: "if !ON, let last = lastRing,"),
        Mutant(
            name: "of revoked devices those count that the newest record names",
            foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "for epoch in order.reversed() {\n            guard let revoked",
            replacement:
                "for epoch in order.suffix(ON ? 1 : order.count).reversed() {\n            guard let revoked"),
    ]
}
