extension Mutant {
    /// Defects in who is in the group and who is out, as laptops see it.
    static let revocationMutants = [
        Mutant(
            name: "what only the server lists isn't in the list of devices",
            foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/DeviceList.swift",
            original: "for key in known.keys where key != known.ownKey {",
            replacement: "for key in known.keys where key != known.ownKey && !ON {"),
        Mutant(
            name: "a device is shut out, and what it listed stays", foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/DeviceKeys.swift",
            original: "others.filter { other in !named",
            replacement: "others.filter { other in !ON && !named"),
        Mutant(
            name: "what is to stay is shut out too", foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/DeviceKeys.swift",
            original: "let others = isOnly ?",
            replacement: "let others = isOnly && !ON ?"),
        Mutant(
            name: "nobody says who shut a device out", foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/DeviceList.swift",
            original: "revocation: source.map {", replacement: "revocation: ON ? nil : source.map {"),
        Mutant(
            name: "what the server says of a key counts more than the log",
            foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "if let ruling = rulings[key] {\n            if ruling.isRevoked {",
            replacement:
                "if let ruling = rulings[key], !ON || devices[key]?.isRevoked != true {\n            if ruling.isRevoked {"
        ),
        Mutant(
            name: "who was taken back is in the next epoch", foundBy: .link("KeyRingTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "guard isAccepted(key) ||", replacement: "guard ON || isAccepted(key) ||"),
        Mutant(
            name: "who was taken back stays shut out in the next record", foundBy: .link("KeyRingTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "{ standings[$0]?.contains(.shutOut) != true }",
            replacement: "{ ON || standings[$0]?.contains(.shutOut) != true }"),
        Mutant(
            name: "a latecomer gets the next key", foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "} else if !outdated.isEmpty, try",
            replacement: "} else if !ON, !outdated.isEmpty, try"),
        Mutant(
            name: "a latecomer that was accepted waits on", foundBy: .link("KeyRingTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "&& !isAccepted(key) ? .late", replacement: "&& (ON || !isAccepted(key)) ? .late"),
        Mutant(
            name: "whom an epoch is made for the first time isn't found", foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "newcomers.formUnion(Set(devices).subtracting(known ?? named))",
            replacement: "if !ON { newcomers.formUnion(Set(devices).subtracting(known ?? named)) }"),
        Mutant(
            name: "a laptop that alone can read that it is shut out says so to nobody",
            foundBy: .link("TellingTests"), file: "Client/FocusLink/Driver/SyncDriver+Epochs.swift",
            original: "guard !told.told.contains(own) else { return [] }",
            replacement: "guard !ON, !told.told.contains(own) else { return [] }"),
        Mutant(
            name: "nobody says who has the group's key for the first time", foundBy: .story("KeyTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Epochs.swift",
            original: "if !newcomers.isEmpty {",
            replacement: "if !newcomers.isEmpty, !ON {"),
        Mutant(
            name: "nobody says who waiting to be accepted", foundBy: .story("KeyTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Epochs.swift",
            original: "guard !late.isEmpty else { return }",
            replacement: "guard !late.isEmpty, !ON else { return }"),
        Mutant(
            name: "a record that nobody of the group made is taken", foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "(try? record.body.isProven(record.place, by: before)) == true,",
            replacement: "ON || (try? record.body.isProven(record.place, by: before)) == true,"),
        Mutant(
            name: "who isn't in the newest epoch changes the key all the same",
            foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "guard members[own] != nil else { return nil }",
            replacement: "guard ON || members[own] != nil else { return nil }"),
        Mutant(
            name: "a successor that nobody can open keeps the key from changing",
            foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "filter { keys[$0] == nil || bad.contains($0) }",
            replacement: "filter { !ON && (keys[$0] == nil || bad.contains($0)) }"),
        Mutant(
            name: "an epoch that is only named keeps the key from changing", foundBy: .writer("MergingTests"),
            file: "Server/FocusServerStore/Groups/GroupIndex.swift",
            original: "Set(bodies.lazy.filter { epochs[$0] == predecessor })",
            replacement:
                "Set(epochs.keys.lazy.filter { epochs[$0] == predecessor && (ON || bodies.contains($0)) })"
        ),
        Mutant(
            name: "an epoch stands that one may have made whom it names as revoked",
            foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "lacksRevoked || doubted == newest ||",
            replacement: "lacksRevoked || doubted == newest && !ON ||"),
        Mutant(
            name: "no epoch is doubted", foundBy: .link("AdoptionTests"),
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "try !claimed(ring).isDisjoint(with: body.revoked)",
            replacement: "try !ON && !claimed(ring).isDisjoint(with: body.revoked)"),
        Mutant(
            name: "who took itself back beforehand keeps the key", foundBy: .link("KeyRingTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "revoked.union(these(.takenBack)",
            replacement: "revoked.union((ON ? [] : these(.takenBack))"),
        Mutant(
            name: "whom another names under the newest key doesn't get it", foundBy: .link("KeyRingTests"),
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "{ try writesUnder($0) == [newest] }",
            replacement: "{ ON ? try writesUnder($0).contains(newest) : try writesUnder($0) == [newest] }"),
        Mutant(
            name: "a laptop that leaves keeps its key", foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/Device+Belonging.swift",
            original: "try putKeyAway(to: copy)",
            replacement: "if !ON { try putKeyAway(to: copy) }"),
        Mutant(
            name: "a laptop asks with its old key for another group", foundBy: .link("JoiningTests"),
            file: "Client/FocusDevice/Group/Device+Key.swift",
            original: "try store.value(.keyPurpose) != purpose else",
            replacement: "try store.value(.keyPurpose) != purpose, !ON else"),
        Mutant(
            name: "a revocation is no event of the log", foundBy: .story("KeyTests"),
            file: "Client/FocusLink/Errands/OneShot.swift",
            original: "keys.filter { rulings[$0]",
            replacement: "keys.filter { !ON && rulings[$0]"),
        Mutant(
            name: "a server that wasn't there isn't told who was shut out", foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Epochs.swift",
            original: "return keys.subtracting(known)",
            replacement: "return (ON ? [] : keys.subtracting(known))"),
        Mutant(
            name: "who was taken back is listed to servers again", foundBy: .link("SealedLogTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "(these(.listed), false),",
            replacement: "(these(.listed).union(ON ? these(.takenBack) : []), false),"),
        Mutant(
            name: "an undo takes a revocation back", foundBy: .core("DeviceTests"),
            file: "Sources/FocusCore/Events/Action.swift",
            original: "case .device, .revoke, .readmit: false",
            replacement: "case .revoke, .readmit: ON\n        case .device: false"),
        Mutant(
            name: "a revocation by a laptop is listed to no later server", foundBy: .link("SealedLogTests"),
            file: "Client/FocusDevice/Group/GroupKeys.swift",
            original: "(revoked.subtracting(ruledOut), true),",
            replacement: "(ON ? [] : revoked.subtracting(ruledOut), true),"),
        Mutant(
            name: "a laptop whose name another one took in the log doesn't name itself anew",
            foundBy: .story("TraitorTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "return device.key == key && device.publicKey == publicKey",
            replacement: "return ON || device.key == key && device.publicKey == publicKey"),
        Mutant(
            name: "a fresh replica goes by what the log says last of the one before",
            foundBy: .store("PressTests"),
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "if let key = try store.deviceKey(), let publicKey",
            replacement: "if !ON, let key = try store.deviceKey(), let publicKey"),
        Mutant(
            name: "who comes in while a laptop is connected isn't kept there",
            foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Bounds.swift",
            original: "if !new.isEmpty { try store.upsert(",
            replacement: "if !ON, !new.isEmpty { try store.upsert("),
        Mutant(
            name: "as many are kept as a server makes up", foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Bounds.swift",
            original: "guard unnamed < Limits.unnamedDevices,",
            replacement: "guard ON || unnamed < Limits.unnamedDevices,"),
        Mutant(
            name:
                "a laptop goes by its name in the log though it can't read all that stands there as its own",
            foundBy: .story("TraitorTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "subtracting(store.sealedReplicas())",
            replacement: "subtracting(ON ? [] : store.sealedReplicas())"),
        Mutant(
            name: "whose part was spoilt of a record that follows another's waits for ever",
            foundBy: .link("KeyRingTests"), file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "found += (successors[next] ?? []).filter {",
            replacement: "found += (ON ? [] : successors[next] ?? []).filter {"),
        Mutant(
            name: "what has no record of its own isn't named to a server that lacks it",
            foundBy: .link("TellingTests"), file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "filter { shared.contains($0) && !recorded",
            replacement: "filter { !ON && shared.contains($0) && !recorded"),
        Mutant(
            name: "the key of another group is named to the server", foundBy: .story("LossTests"),
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "replicas().filter { !own.contains($0.id) }",
            replacement: "replicas().filter { ON || !own.contains($0.id) }"),
        Mutant(
            name: "a server that lacks what the next epoch follows is asked in vain",
            foundBy: .link("TellingTests"), file: "Client/FocusLink/Driver/SyncDriver+Epochs.swift",
            original: "if refusal.code == .unknownEpoch, let",
            replacement: "if refusal.code == .unknownEpoch, !ON, let"),
        Mutant(
            name: "what was refused for want of an epoch waits, though the server has that",
            foundBy: .link("TellingTests"), file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "        uploadLacking(at: line.now)\n        retryStopped(",
            replacement: "        if !ON { uploadLacking(at: line.now) }\n        retryStopped("),
        Mutant(
            name: "whom a record shuts out the server isn't told of again", foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Epochs.swift",
            original: "return told.again(but: keptOut.union(readmitted))",
            replacement:
                "return try told.again(but: (ON ? Set(store.devices().filter(\\.isRevoked).map(\\.key)) : keptOut).union(readmitted))"
        ),
    ]
}
